"""Every export there is, through every command and through the explorer."""
