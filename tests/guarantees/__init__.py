"""What the README promises: one test file a promise, here or beside the part that keeps it."""
