"""One question per file: a pure function of rows that the store joined and selected -> frozen rows.

Which numbers were left out
    shown_but_missing.py    which expected values were on the screen and are not in the deliverable (Figures 2, 4)
    left_out.py             the same where no rubric says what to expect; value_story.py: one value's way through a run
    value_facts.py          what the store gives on values: expected, shown, held, delivered
    equality.py             which keys of the value index count as equal under a rule
Where each number came from
    provenance.py           each delivered value and its evidence; provenance_facts.py: its rows; provenance_rows.py: its answer
    derived_values.py       the formulas, from formula_results.py over source_grids.py and number_sheet.py
    layout.py               a delivered text as lines and tables; surroundings.py: the words around a value
Masked recovery (Figure 4)
    masked_recovery.py      what was recovered; recovery_cases.py: what is masked; recovery_prompts.py: what is asked
    recovery_answers.py     what an answer says; lexical_baseline.py: answers without a model
Why rubrics failed (Figure 2)
    failure_taxonomy.py     the type that rules propose; taxonomy_facts.py: its rows; failure_types.py: the six types
    rubric_words.py         what a rubric is about; close_values.py: how a number is distorted
    rubric_case.py          one failed rubric for a person; type_prompts.py: for a model
    labels.py               what was said; agreement.py: how well two agree; lost_points.py: what it comes to
Scores and the tab (Tables 1 to 4, Figure 5)
    scores.py               what each method scored; score_facts.py: its rows; final_answers.py: OfficeQA's rule
    ablation.py             switches of the tab compared; reading_volume.py: by thirds of what was read
    paired_comparison.py    two methods on the tasks of both, by paired_tests.py; effort.py: what that took
    tab_holdings.py         what a tab held; tab_operations.py: what was done with it; tab_facts.py: their rows
    run_comparison.py       two runs side by side
For all: rates.py, shares with their intervals; paper.py, the paper's numbers.

To add a question: one module with its function, and a view of the dashboard that shows it. None imports another's
function; what several need stands in a file of its own.
"""
