"""What the command line's larger commands do: one file for each family, and how all of them print.

printing.py      lines, tables, JSON
loading.py       open, load, watch
analyze.py       `runningtab analyze QUESTION`; the questions on values
scores.py        the paper's tables; paired.py: two methods on shared tasks
recovery.py      masked recovery; recovery_words.py: in words and as JSON
taxonomy.py      failure types, agreement, labels
provenance.py    where delivered values came from, and `check`
search.py        words in all runs
serving.py       the tab for other people's agents: mcp, hook, install, uninstall, forget
record.py        an agent's runs, recorded as run folders
report.py        the figures as one HTML file
"""
