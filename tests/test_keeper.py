"""The environment's side of a tab: calls and observations in, facts and words out."""

import subprocess
import sys

import pytest

from tabcore.capture import Workspace
from tabcore.tab.events import FileListed, FileRead, FinishChecked, Refused, Resolved, Reviewed
from tabcore.tab.keeper import Keeper, command_text, excerpt_text
from tabcore.tab.operations import Add, List, Resolve, Show
from tabcore.trajectory import Observation, Span, ToolCall


def keeper(task: str = "Write the hotel rate guide") -> Keeper:
    return Keeper(Workspace(root="/ws", cwd="/ws"), task)


def bash(command: str) -> ToolCall:
    return ToolCall("c1", "bash", {"command": command})


def test_a_listing_and_a_read_become_facts_of_the_tab() -> None:
    k = keeper()
    [listed] = k.observe(1, 0, bash("ls policies"), Observation("c1", "rates.txt\n"))
    [read] = k.observe(2, 0, bash("cat policies/rates.txt"), Observation("c1", "Hotel: 240 EUR\n"))
    assert isinstance(listed, FileListed)
    assert listed.path == "policies/rates.txt"
    assert isinstance(read, FileRead)
    assert (read.path, read.chars, k.texts[read.excerpt]) == ("policies/rates.txt", 15, "Hotel: 240 EUR\n")
    assert not k.tab.candidates


def test_files_of_one_observation_share_its_excerpt() -> None:
    k = keeper()
    events = k.observe(1, 0, bash("cat a.txt b.txt"), Observation("c1", "one\ntwo\n"))
    assert [event.path for event in events if isinstance(event, FileRead)] == ["a.txt", "b.txt"]
    assert len({event.excerpt for event in events if isinstance(event, FileRead)}) == 1


def test_what_the_tab_injected_is_cut_off_the_excerpt() -> None:
    text = "Hotel: 240 EUR\n[tab] 0 open"
    observation = Observation("c1", text, spans=(Span(15, len(text), "tab", "status line"),))
    assert excerpt_text(observation) == "Hotel: 240 EUR"


def test_content_that_looks_like_a_status_line_stays_content() -> None:
    text = "notes\n[tab] 9 open | candidates: 0 unopened, 0 above threshold | read log: 0 entries | x"
    assert excerpt_text(Observation("c1", text)) == text


def test_the_four_operations_answer_and_leave_facts() -> None:
    k = keeper()
    k.operate(1, 0, Add(("hotel rates",)))
    k.observe(2, 0, bash("cat rates.txt"), Observation("c1", "Hotel: 240 EUR\n"))
    review = k.operate(3, 0, List("requirements"))
    assert isinstance(review.events[0], Reviewed)
    assert review.events[0].matches[0].entries == ("L1",)
    assert "Hotel: 240 EUR" in k.operate(3, 1, Show("L1")).text
    assert k.operate(3, 2, List("read_log")).text.startswith("Read log: 1 entry")
    assert k.operate(3, 3, List("candidates")).text.startswith("Unopened candidates: 0")
    [event] = k.operate(4, 0, Resolve("r1", "done", "L1")).events
    assert isinstance(event, Resolved)


@pytest.mark.parametrize(
    "operation",
    [Resolve("r9", "done", "L1"), Resolve("r1", "finished"), Show("L9"), Add(()), Resolve("r1", "unavailable")],
)
def test_a_bad_operation_is_answered_with_a_refusal_and_a_fact(operation: Add | Resolve | Show) -> None:
    k = keeper()
    k.operate(1, 0, Add(("hotel rates",)))
    reply = k.operate(2, 0, operation)
    assert reply.text.startswith("Refused: ")
    assert isinstance(reply.events[0], Refused)
    assert len(k.tab.open_requirements) == 1


def test_the_finish_check_is_sent_once() -> None:
    k = keeper()
    k.stop(5)
    first = k.finish_check(5)
    assert first is not None
    assert isinstance(first.events[0], FinishChecked)
    assert first.events[0].body == "none recorded"
    assert k.finish_check(6) is None


def test_a_command_is_shown_in_one_short_line() -> None:
    assert command_text(ToolCall("1", "Read", {"file_path": "/ws/a b.txt"})) == "Read /ws/a b.txt"
    assert command_text(ToolCall("1", "shell", {"command": ["bash", "-lc", "ls"]})) == "bash -lc ls"
    assert len(command_text(bash("x" * 10_000))) == 200


def test_capturing_and_saying_the_status_line_imports_neither_numpy_nor_duckdb() -> None:
    code = (
        "import sys\n"
        "from tabcore.tab.keeper import Keeper\n"
        "from tabcore.capture import Workspace\n"
        "from tabcore.trajectory import Observation, ToolCall\n"
        "k = Keeper(Workspace(root='/ws', cwd='/ws'), 'task')\n"
        "k.observe(1, 0, ToolCall('1', 'bash', {'command': 'ls'}), Observation('1', 'a.txt\\n'))\n"
        "print(k.status_line(1), sorted({'numpy', 'duckdb', 'pyarrow', 'streamlit'} & set(sys.modules)))\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip().endswith("[]")
    assert "1 unopened" in out
