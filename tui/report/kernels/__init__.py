"""What a kernel is, by its name: its class, what made it, which pipe it uses."""
