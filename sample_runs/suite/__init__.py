"""The suite of simulated runs: small tasks, an agent that follows a plan with stated lapses, and checks.

    tasks.toml    the words of the tasks
    tasks.py      a task: its workspace made from a seed, the values that it asks for
    chance.py     draws that are the same each time
    lapses.py     how often the agent fails at what, all rates in one place
    agent.py      the agent: what it does next, given what the tools and the tab have answered
    judging.py    rubrics and verdicts from what was delivered

`record_suite.py` beside this folder runs them all and writes `suite.tar.gz`.
"""
