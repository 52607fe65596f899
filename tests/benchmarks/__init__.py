"""How fast it is, in one table: ``python -m tests.benchmarks`` (``make bench``).

Every figure stands beside a yardstick taken in the same run on the same machine: an empty Textual
app of the same layout, SQLite's own sum of the same columns, a straight read of the file. Each
measurement runs in a process of its own, so that memory is its own too. Nothing here is part of the
test suite: what can be counted exactly is asserted in tests/speed.
"""
