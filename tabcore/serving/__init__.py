"""The tab for other people's agents, live: whoever works on a task through whatever harness, all see one tab.

    folders.py      where the journals of a workspace lie
    live.py         LiveTab: a tab that is kept in its journal, step by step, by as many processes as like
    memory.py       what capture remembers from one process to the next
    hooks.py        one call of a hook: its log, and that it never breaks its host
    claude_code.py codex.py pi.py   what each host tells its hooks, and what it can be told

A hook is a new process at every call: what it imports is the standard library, capture and the tab.
"""
