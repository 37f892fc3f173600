"""The tab T = (R, L, C): what the environment keeps beside an agent while it works on a workspace.

R, the requirements, are stated by the agent. L, the read log, and C, the candidates, are written by the
environment from what each observation shows (RunningTab, arXiv 2610.10444, section 3.2).

    events.py          the facts
    tab.py             Tab: a fold over the facts, and the agent's four operations
    messages.py        what the environment says
    ranking.py         BM25 over paths and excerpts
    context_window.py  what the model still sees
    history.py         a recorded run -> its facts; the state at any turn
"""
