"""The explorer: a Textual app over :mod:`tui.timeline` and the analyses' own figures."""
