"""One question per file: a pure function of rows that the store joined and selected -> frozen rows.

    value_facts.py       what the store gives on values: expected, shown, held, delivered
    rates.py             shares with their intervals
    equality.py          which keys of the value index count as equal under a rule
    shown_but_missing.py which expected values were on the screen and are not in the deliverable
    score_facts.py       what a run scored; scores.py adds it up, ablation.py and reading_volume.py compare (Tables 1, 4; Figure 5)
    tab_facts.py         what stood in a tab and was done with it; tab_holdings.py, tab_operations.py count it (Tables 2, 3)
    paired_comparison.py two methods on the tasks of both, by paired_tests.py; effort.py: what that took
    run_comparison.py    two runs side by side
    paper.py             the paper's numbers

To add a question: one module with its function, and a view of the dashboard that shows it. None imports another's
function; what several need stands in a file of its own.
"""
