"""`runningtab record`: an agent works on a task, and each of its runs becomes a run folder."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tabcore.commands.printing import counted, say
from tabcore.errors import ModelUnusable, UsageError
from tabcore.text.printable import printable

if TYPE_CHECKING:
    from tabcore.agent.endpoint import Allowance
    from tabcore.agent.methods import MethodName
    from tabcore.agent.models import Model
    from tabcore.agent.recording import Attempt, Batch, Recorded
    from tabcore.language_models import Endpoint

Command = Callable[[str, str, Callable[[argparse.Namespace], int]], argparse.ArgumentParser]

_EPILOG = """\
This is no sandbox: the model's commands run as given, as you, in a copy of the workspace. --command-prefix puts them into
one, with {workspace} and {home} for the run's folders, which must keep their paths there. Both of these have no network;
the first can read all that you can, the second has the files of an image:
  bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --bind {workspace} {workspace} --bind {home} {home} --unshare-all --die-with-parent
  docker run --rm -i --network none -v {workspace}:{workspace} -w {workspace} debian:stable
With a prefix the tools read, write and edit reach nothing outside of the workspace either."""


def add_record(command: Command) -> None:
    """The command; `command` makes one of a name, a help and a function."""
    made = command(
        "record", "let an agent work on a task, by several methods, and record its runs as run folders", _run
    )
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.epilog = _EPILOG
    made.add_argument("--task", required=True, metavar="FILE", help="the task's text")
    made.add_argument(
        "--workspace", required=True, metavar="DIR", help="its files; each run works on a copy of its own"
    )
    made.add_argument("--into", required=True, metavar="DIR", help="where the run folders go; the same again goes on")
    made.add_argument("--load", action="store_true", help="load the finished runs into the store at the end")
    _add_how(made.add_argument_group("how the agent works"))
    _add_whom(made.add_argument_group("the model"))


def _add_how(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--method",
        default="running_tab",
        metavar="M[,M]",
        help="dci, todo, self_refine, self_tracking, running_tab (running_tab)",
    )
    group.add_argument(
        "--ablation",
        default="",
        metavar="S[,S]",
        help="running_tab with this switch, in the place of the whole: no_capture, no_review, no_evidence_check, no_finish_check",
    )
    group.add_argument("--attempts", type=int, default=3, metavar="N", help="runs of each method (3)")
    group.add_argument("--level", type=int, choices=range(6), default=3, help="level of context management (3)")
    group.add_argument("--turns", type=int, default=300, metavar="N", help="turns of a run at most (300)")
    group.add_argument("--seconds", type=float, default=3600, metavar="S", help="time of a run at most (3600)")
    group.add_argument(
        "--command-seconds", type=float, default=120, metavar="S", help="time of a command at most (120)"
    )
    group.add_argument(
        "--command-prefix", default="", metavar="'CMD …'", help="what stands before each command; see below"
    )
    group.add_argument("--task-name", default="", metavar="NAME", help="the task's name (default: its file's)")
    group.add_argument("--suite", default="", metavar="NAME", help="the benchmark that it belongs to")


def _add_whom(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--model", default="", metavar="NAME", help="the model as the endpoint names it")
    group.add_argument(
        "--base-url", default="", metavar="URL", help="an OpenAI-compatible endpoint that can call tools"
    )
    group.add_argument(
        "--script", default="", metavar="FILE", help="a script's responses in the place of a model's (TOML)"
    )
    group.add_argument(
        "--key-variable", default="", metavar="VAR", help="the variable that has the key (RUNNINGTAB_API_KEY)"
    )
    group.add_argument("--temperature", type=float, metavar="T", help="(default: the endpoint's)")
    group.add_argument("--answer-tokens", type=int, metavar="N", help="tokens of a response at most (the endpoint's)")
    group.add_argument("--timeout", type=float, default=600, metavar="S", help="seconds for one response (600)")
    group.add_argument(
        "--max-calls", type=int, default=1000, metavar="N", help="refuse what may take more calls (1000)"
    )
    group.add_argument(
        "--max-tokens",
        type=int,
        default=10_000_000,
        metavar="N",
        help="stop at so many tokens, both directions (10000000)",
    )


def _run(options: argparse.Namespace) -> int:
    from tabcore.agent import recording

    batch, into = _batch(options), Path(options.into)
    where = _endpoint(options)
    attempts = recording.attempts_of(batch, into)
    left = [attempt for attempt in attempts if not attempt.finished]
    allowance = _allowance(options, batch, len(left), where)
    new_model = _model_maker(options, where, allowance)
    _announce(batch, attempts, where)
    ended: list[Recorded] = []
    stopped = False
    try:
        for made in recording.record(batch, into, new_model, "openai" if where else "scripted"):
            say(printable(_line(made), " "))
            ended.append(made)
    except ModelUnusable as fault:
        print(f"runningtab: {printable(str(fault), ' ')}", file=sys.stderr)
        stopped = True
    failed = stopped or any(made.ended.how == "model failed" for made in ended)
    if failed:
        print("runningtab: finished runs are kept; the same command makes the others", file=sys.stderr)
    _close(options, recording.attempts_of(batch, into))
    return 1 if failed else 0


def _batch(options: argparse.Namespace) -> Batch:
    from tabcore.agent.recording import SCRIPTED, Batch, Settings

    prefix = tuple(_words(options.command_prefix))
    if prefix and not shutil.which(prefix[0]):
        raise UsageError("--command-prefix", f"there is no program “{prefix[0]}”", "Install it or name another")
    if bool(options.script) == bool(options.base_url):
        raise UsageError("record", "it needs a model or a script", "State --model and --base-url, or --script alone")
    if min(options.attempts, options.turns, options.seconds, options.command_seconds) <= 0:
        raise UsageError(
            "record", "attempts, turns and seconds are numbers above zero", "Leave them out for the usual ones"
        )
    task = _text(options.task)
    return Batch(
        task=task,
        name=options.task_name.strip() or Path(options.task).stem,
        workspace=_folder(options.workspace),
        methods=_methods(options),
        model=options.model.strip() or "scripted",
        attempts=options.attempts,
        settings=Settings(options.level, options.turns, options.seconds, options.command_seconds, prefix),
        suite=options.suite.strip(),
        simulated=SCRIPTED if options.script else "",
    )


def _words(prefix: str) -> list[str]:
    try:
        return shlex.split(prefix)
    except ValueError as fault:
        raise UsageError("--command-prefix", f"it cannot be split into words ({fault})", "Close its quotes") from fault


def _text(path: str) -> str:
    try:
        text = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as fault:
        raise UsageError(f"task {path}", f"it cannot be read ({fault})", "Name a text file in UTF-8") from fault
    if not text:
        raise UsageError(f"task {path}", "it is empty", "Write down what is asked for")
    return text


def _folder(path: str) -> Path:
    if not Path(path).is_dir():
        raise UsageError(f"workspace {path}", "it is no folder", "Name the folder with the task's files")
    return Path(path).resolve()


def _methods(options: argparse.Namespace) -> tuple[MethodName, ...]:
    """The methods in their order, each once; the switches where running_tab stands."""
    from tabcore.agent.recording import method_named
    from tabcore.tab.switches import SWITCHES

    named = [method_named(name.strip()) for name in options.method.split(",")]
    switches = [method_named(name.strip()) for name in options.ablation.split(",") if name.strip()]
    if unknown := [name for name in switches if name not in SWITCHES]:
        raise UsageError(f"ablation “{unknown[0]}”", "there is no such switch", f"Switches: {', '.join(SWITCHES)}")
    if switches and "running_tab" not in named:
        raise UsageError("--ablation", "it switches running_tab, which is not among the methods", "Add running_tab")
    put = [one for name in named for one in (switches if switches and name == "running_tab" else [name])]
    return tuple(dict.fromkeys(put))


def _endpoint(options: argparse.Namespace) -> Endpoint | None:
    if options.script:
        return None
    from tabcore.language_models import endpoint

    return endpoint(options.base_url, options.model, options.key_variable, timeout=options.timeout)


def _allowance(options: argparse.Namespace, batch: Batch, runs: int, where: Endpoint | None) -> Allowance:
    """What may be spent; UsageError where the runs that are left may take more calls."""
    from tabcore.agent import Allowance

    if where and (most := runs * batch.settings.turns) > options.max_calls:
        fact = f"{counted(runs, 'run')} may take {most:,} calls, and {options.max_calls:,} are allowed"
        raise UsageError("record", fact, f"Allow them with --max-calls {most}, or set --turns lower")
    return Allowance(options.max_calls, options.max_tokens)


def _model_maker(options: argparse.Namespace, where: Endpoint | None, allowance: Allowance) -> Callable[[], Model]:
    from tabcore.agent import EndpointModel, Sampling, ScriptedModel, read_script

    if where is None:
        responses = read_script(Path(options.script))
        return lambda: ScriptedModel(responses, options.script)
    sampling = Sampling(options.temperature, options.answer_tokens)
    return lambda: EndpointModel(where, allowance, sampling)


def _announce(batch: Batch, attempts: tuple[Attempt, ...], where: Endpoint | None) -> None:
    """What will be done, where text goes and what commands can do, before anything is."""
    kept = sum(attempt.finished for attempt in attempts)
    lines = [f"{counted(len(attempts) - kept, 'run')} to make, {kept} finished before"]
    if where:
        goes = "stays on this machine" if where.is_local else f"leaves this machine for {where.host}"
        lines.append(f"the task and what its files show {goes}")
    if batch.settings.prefix:
        lines.append(f"commands run behind: {shlex.join(batch.settings.prefix)}")
    else:
        lines.append("no sandbox: commands run as given and can do what you can; --command-prefix puts them into one")
    for line in lines:
        print(printable(line, " "), file=sys.stderr, flush=True)


def _line(made: Recorded) -> str:
    ended = made.ended
    told = f"{ended.how} after {counted(ended.turns, 'turn')}, {counted(made.files, 'file')} delivered"
    return f"{made.attempt.folder.name}: {told}"


def _close(options: argparse.Namespace, attempts: tuple[Attempt, ...]) -> None:
    """Load what is finished, or say how to."""
    finished = [str(attempt.folder) for attempt in attempts if attempt.finished]
    if options.load and finished:
        from tabcore import rerun

        loaded = rerun.load(finished, options.db)
        say(f"{counted(sum(len(item.runs) for item in loaded), 'run')} loaded; see: runningtab open")
    elif finished:
        say(
            printable(
                f"{counted(len(finished), 'finished run')}; see: runningtab open {shlex.quote(options.into)}", " "
            )
        )
