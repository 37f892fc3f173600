"""One question per file: a pure function of rows that the store joined and selected -> frozen rows.

    value_facts.py       what the store gives on values: expected, shown, held, delivered
    rates.py             shares with their intervals
    equality.py          which keys of the value index count as equal under a rule
    shown_but_missing.py which expected values were on the screen and are not in the deliverable

To add a question: one module with its function, and a view of the dashboard that shows it. None imports another's
function; what several need stands in a file of its own.
"""
