"""Memory that CUDA programs allocate: what was alive when, where, and who allocated it."""
