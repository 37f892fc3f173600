"""The door to masked recovery: what was recovered, what asking would come to, and asking itself.

Answers are kept until the store's file changes; what is given out is shared by all visits: treat it as read-only.
"""

from __future__ import annotations

import os

import streamlit as st

from dashboard import data
from dashboard.asking import Job
from dashboard.data import Stamp
from tabcore import recovery
from tabcore.analyses.masked_recovery import MaskedRecovery
from tabcore.analyses.recovery_cases import Arm, Protocol
from tabcore.language_models import KEY_VARIABLE, Endpoint, Parameters
from tabcore.language_models import endpoint as endpoint_of
from tabcore.recovery import LEXICAL as LEXICAL
from tabcore.recovery import Asked
from tabcore.recovery import Choice as Choice
from tabcore.recovery import Limits as Limits
from tabcore.recovery import Plan as Plan
from tabcore.store.answers import AskedModel as AskedModel

BASELINE = AskedModel(LEXICAL, Parameters(), "", 0)
"""The lexical baseline among the models that were asked; it is none."""


def models() -> tuple[AskedModel, ...]:
    """The models that have answers in the store, the latest first."""
    db = data.store_file()
    return _models(str(db), data.stamp()) if db.exists() else ()


def recovered(runs: tuple[str, ...], protocol: Protocol, who: AskedModel, most: int = 0) -> MaskedRecovery:
    """What the known answers of a model come to, or the baseline's, without messages; of `most` requirements at most."""
    choice = Choice(runs, most=most)
    return _recovered(str(data.store_file()), data.stamp(), choice, protocol, who.model, who.parameters, False)


def recovered_of(run: str, case: str, text: str, protocol: Protocol, who: AskedModel) -> MaskedRecovery:
    """The same for one requirement of a run, masked as in `text`."""
    choice = Choice((run,), case=case, text=text)
    return _recovered(str(data.store_file()), data.stamp(), choice, protocol, who.model, who.parameters, True)


def endpoint(base_url: str, model: str, variable: str, parameters: Parameters, timeout: float) -> Endpoint:
    """The endpoint that a person names; UsageError where there is none such."""
    return endpoint_of(base_url, model, variable, parameters, timeout)


def has_key(variable: str) -> bool:
    """Whether a variable of the dashboard's environment is set; what it holds is shown nowhere."""
    return bool(os.environ.get(variable.strip() or KEY_VARIABLE))


def plan(runs: tuple[str, ...], arms: tuple[Arm, ...], protocol: Protocol, where: Endpoint) -> Plan:
    """What asking would come to. Nothing is sent."""
    return _plan(str(data.store_file()), data.stamp(), Choice(runs, arms), protocol, where)


def job() -> Job[Asked] | None:
    """The asking that goes on or was the last to end, None where there was none."""
    return _jobs().get(str(data.store_file()))


def ask(choice: Choice, protocol: Protocol, where: Endpoint, limits: Limits) -> None:
    """Begin to ask, unless another asking goes on."""
    db, running = data.store_file(), job()
    if running is not None and running.is_running:
        return
    started: Job[Asked] = Job(f"{where.model} at {where.base_url}")
    started.start(lambda note, cancel: recovery.ask(db, choice, protocol, where, limits, note, cancel))
    _jobs()[str(db)] = started


@st.cache_resource(show_spinner=False)
def _jobs() -> dict[str, Job[Asked]]:
    return {}


@st.cache_resource(max_entries=4, show_spinner=False)
def _models(db: str, stamp: Stamp) -> tuple[AskedModel, ...]:
    return recovery.models(db)


@st.cache_resource(max_entries=16, show_spinner="Counting what would be asked …")
def _plan(db: str, stamp: Stamp, choice: Choice, protocol: Protocol, where: Endpoint) -> Plan:
    return recovery.plan(db, choice, protocol, where)


@st.cache_resource(max_entries=16, show_spinner="Putting the masked requirements together …")
def _recovered(
    db: str, stamp: Stamp, choice: Choice, protocol: Protocol, model: str, parameters: Parameters, whole: bool
) -> MaskedRecovery:
    return recovery.masked_recovery(db, choice, protocol, model, parameters, with_messages=whole)
