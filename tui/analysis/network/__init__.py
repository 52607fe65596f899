"""What network adapters and switches moved: rates over stretches of time, of a host and never of one rank."""
