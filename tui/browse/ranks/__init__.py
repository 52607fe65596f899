"""The ranks view without Textual: what a set of reports looks like as lanes, heat, pace and pages."""
