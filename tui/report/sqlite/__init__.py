"""The file as SQLite lays it out: pages, records, texts; SQLite itself as the last word."""
