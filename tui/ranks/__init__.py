"""Many reports as one thing: what each rank did, who is late, what got slower. No columns are read here but
by the summary of one report; all else is a function of summaries.
"""
