"""A live agent with a tab: a model, a workspace folder, terminal tools, and a record of what happened.

    models.py       what a model is asked and what it answers; the scripted model
    endpoint.py     a real model, behind an endpoint that speaks OpenAI's protocol
    tool_calls.py   tool calls as models really answer them, understood where they can be
    clocks.py       where a loop takes its time from; the clock of a recording that must come out the same
    terminal.py     read, bash, write and edit in the workspace folder
    bash.py         one command, with its time limit and the cut of a long output
    methods.py      the five methods and the four switches: what an agent is told, offered and shown beside its tools
    window.py       what of the conversation the model is sent, by level of context management
    recorder.py     the session log, in Pi's format
    workspaces.py   a fresh copy for each run, and what the run made of it
    recording.py    batches of runs, each written as a run folder; goes on where it stopped
    environment.py  the loop: ask, execute, show, record, until the model delivers or a limit is reached

The loop executes for real; only the model may be scripted. None of it is a sandbox.
"""

from __future__ import annotations

from tabcore.agent.clocks import Clock, SteppingClock, steady_clock
from tabcore.agent.endpoint import Allowance, EndpointModel, Sampling
from tabcore.agent.environment import Ended, Limits, run_agent
from tabcore.agent.methods import METHODS, Method, MethodName, companion_for
from tabcore.agent.models import Model, Response, ScriptedModel, read_script
from tabcore.agent.recorder import PiRecorder
from tabcore.agent.terminal import Terminal

__all__ = [
    "METHODS",
    "Allowance",
    "Clock",
    "Ended",
    "EndpointModel",
    "Limits",
    "Method",
    "MethodName",
    "Model",
    "PiRecorder",
    "Response",
    "Sampling",
    "ScriptedModel",
    "SteppingClock",
    "Terminal",
    "companion_for",
    "read_script",
    "run_agent",
    "steady_clock",
]
