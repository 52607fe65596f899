"""The screens of the explorer: the main one, and those that open over it."""
