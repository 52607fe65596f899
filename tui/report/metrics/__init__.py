"""Values of counters over time: GPU and SoC metrics, power, CPU counters. Read once, then kept as columns.

What a table means in words (which metric is which, in which unit) is for the analysis to say.
"""
