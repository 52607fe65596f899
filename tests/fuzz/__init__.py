"""Damaged and hostile exports, by the thousand: ``python -m tests.fuzz --count 5000 --seed 1``.

A mutant is a real or a generated export with a few things done to it (:mod:`.damage` to its bytes,
:mod:`.edits` to its tables). It is the same for the same seed and number, on every machine. Each goes
through the commands (:mod:`.runner`) in a process of its own with limits on time and memory, and every
outcome is judged (:mod:`.judge`): a right answer, which a few lines of plain Python and SQL confirm
(:mod:`.oracle`), or exit code 2 or 3 with one line that says why.
"""
