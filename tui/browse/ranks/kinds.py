"""Kinds of the ranks view's news, apart from what makes them: one report needs none of that."""

SCENE = "a set"
"""A :class:`Scene`: of the reports so far, or of all of them and judged."""
COLUMNS = "a rank's columns"
"""A rank's report, opened for its own lanes."""
