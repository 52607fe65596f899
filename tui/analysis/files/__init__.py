"""Which files programs read and wrote, and which of them a gap waited for."""
