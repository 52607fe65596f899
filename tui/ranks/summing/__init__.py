"""The parts of a rank's summary, each a function of its report."""
