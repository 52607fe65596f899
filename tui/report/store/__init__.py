"""Where the columns of opened reports are kept: one private folder, one file a report."""
