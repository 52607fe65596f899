"""From the tables of an export to columns: read, sorted, joined and written a block at a time."""
