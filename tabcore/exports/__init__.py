"""Runs -> documents for other programs, and for those who judge a run.

    atif.py     a run as an ATIF document; what ATIF has no word for stands in its `extra`
    judging.py  a run as a judge is to read it: without the tab

Both are pure. Reading an exported document back (readers/atif.py) gives the run again.
"""
