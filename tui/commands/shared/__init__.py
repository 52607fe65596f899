"""What the commands share; nothing in here is a command."""
