"""Tables of an export that an import leaves alone: read when something asks for them, then kept."""
