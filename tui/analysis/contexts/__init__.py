"""Which process's context a GPU works for, from its own records of context switches."""
