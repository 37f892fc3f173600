"""What the command line's larger commands do: one file for each family, and how all of them print.

printing.py   lines, tables, JSON
analyze.py    `runningtab analyze QUESTION`
"""
