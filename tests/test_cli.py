"""The command line as a person and another program meet it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from made_logs import pi_log, write_log

from tabcore.cli import main
from tabcore.readers import READERS

GOLDEN = Path(__file__).parent / "golden" / "show_turn_2.txt"


@pytest.fixture
def db(tmp_path: Path) -> str:
    return str(tmp_path / "runs.duckdb")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_log_is_loaded_listed_and_shown(tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str]) -> None:
    log = str(write_log(tmp_path))
    code, out, err = run(capsys, "load", "--db", db, log)
    assert (code, err) == (0, "")
    assert "loaded" in out
    assert "9 lines: 9 read" in out
    code, out, _ = run(capsys, "runs", "--db", db)
    assert code == 0
    assert len(out.splitlines()) == 2
    assert "Write the travel policy guide" in out
    identifier = out.splitlines()[1].split()[0]
    code, out, _ = run(capsys, "show", identifier[:5], "--turn", "2", "--db", db)
    assert (code, out) == (0, GOLDEN.read_text("utf-8"))


def test_runs_as_json_has_what_other_programs_need(tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["load", "--db", db, str(write_log(tmp_path))])
    capsys.readouterr()
    [row] = json.loads(run(capsys, "runs", "--json", "--db", db)[1])
    wanted = {"run", "task", "method", "model", "turns", "reads", "candidates", "requirements", "problems"}
    assert wanted <= row.keys()
    assert (row["turns"], row["model"], row["requirements"]) == (4, "scripted", 0)
    shown = json.loads(run(capsys, "show", row["run"], "--turn", "1", "--json", "--db", db)[1])
    assert shown["turn"] == 1
    assert json.loads(run(capsys, "problems", "--json", "--db", db)[1]) == []


def test_what_cannot_be_loaded_ends_with_1_and_says_why(
    tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = write_log(tmp_path, "notes.txt", "nothing\n")
    code, out, _ = run(capsys, "load", "--db", db, str(notes), str(tmp_path / "absent"))
    assert code == 1
    assert "its content is of no known log format" in out
    assert "No such file" in out
    code, out, _ = run(capsys, "problems", "--db", db)
    assert code == 0
    assert "notes.txt" in out


def test_one_table_says_what_was_loaded_skipped_and_why_and_strict_makes_problems_an_error(
    tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str]
) -> None:
    good, notes = write_log(tmp_path, "a.jsonl"), write_log(tmp_path, "notes.txt", "nothing\n")
    torn = write_log(tmp_path, "torn.jsonl", pi_log(session="t")[:-40])
    code, out, _ = run(capsys, "load", "--db", db, str(good), str(notes), str(torn))
    assert code == 0
    table = [[*line.split()[1:4], line.split()[4:]] for line in out.splitlines()[1:4]]
    assert [row[:3] for row in table] == [["loaded", "1", "0"], ["skipped", "0", "1"], ["loaded", "1", "1"]]
    assert [" ".join(row[3]) for row in table[:2]] == ["9 lines: 9 read", "its content is of no known log format"]
    assert out.splitlines()[-1] == "2 runs; files: 2 loaded, 1 skipped; 2 problems"
    for paths, wanted in (([good], 0), ([good, notes], 1), ([torn], 1)):
        assert run(capsys, "load", "--strict", "--db", db, *map(str, paths))[0] == wanted


def test_of_many_files_a_load_names_those_with_a_problem_or_another_state(
    tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def named() -> tuple[list[str], str]:
        lines = run(capsys, "load", "--db", db, str(tmp_path / "logs"))[1].splitlines()
        return [line.split()[0].rpartition("/")[2] for line in lines if ".jsonl  " in line], lines[-1]

    (tmp_path / "logs").mkdir()
    for number in range(38):
        write_log(tmp_path / "logs", f"{number}.jsonl", pi_log(session=str(number)))
    write_log(tmp_path / "logs", "torn.jsonl", pi_log(session="t")[:-40])
    assert len(named()[0]) == 39
    write_log(tmp_path / "logs", "new.jsonl", pi_log(session="new"))
    assert named() == (["new.jsonl", "torn.jsonl"], "40 runs; files: 39 unchanged, 1 loaded; 1 problem")


def test_an_unknown_run_ends_with_2_in_one_line_with_the_remedy(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "show", "abc", "--db", db)
    assert (code, out) == (2, "")
    assert err == "runningtab: run abc: there is no such run. The store is empty: load a log first\n"


def test_a_file_that_is_no_store_ends_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "text"
    text.write_text("hello" * 5000)
    code, _, err = run(capsys, "runs", "--db", str(text))
    assert code == 1
    assert err.count("\n") == 1
    assert "--db" in err


def test_wrong_usage_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["load"], ["show"], ["runs", "--bd", "x"], ["frobnicate"]):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
    capsys.readouterr()


def test_text_of_a_log_cannot_steer_the_terminal(tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str]) -> None:
    task = "Write\x1b[2J\x1b]0;title\x07 \u202ethe guide\r\x9b31m"
    main(["load", "--db", db, str(write_log(tmp_path, text=pi_log(task=task)))])
    main(["runs", "--db", db])
    main(["runs", "--db", db, "--json"])
    out = capsys.readouterr().out
    assert "the guide" in out
    assert not set(out) & set("\x1b\x07\x9b\r\u202e")


def test_an_empty_store_says_what_to_do(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "runs", "--db", db)
    assert code == 0
    assert "runningtab load PATH" in out


def test_help_names_examples_exit_codes_and_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    out = capsys.readouterr().out
    assert ended.value.code == 0
    for words in ("examples:", "exit codes:", "runningtab open", "RUNNINGTAB_DB"):
        assert words in out


def test_the_list_of_log_formats_has_a_line_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["load", "--formats"])
    lines = capsys.readouterr().out.splitlines()
    assert ended.value.code == 0
    assert [line.split()[0] for line in lines] == [reader.NAME for reader in READERS]
    assert "claude-code         Sessions of Claude Code, versions 1.0 to 2.x (JSONL)." in lines


def test_help_and_the_tab_engine_start_without_the_heavy_libraries() -> None:
    script = (
        "import sys, tabcore, tabcore.tab, tabcore.cli\n"
        "sys.argv = ['runningtab', '--help']\n"
        "try: tabcore.cli.main()\n"
        "except SystemExit: pass\n"
        "heavy = {'duckdb', 'pyarrow', 'numpy', 'streamlit', 'plotly'} & sys.modules.keys()\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.DEVNULL, timeout=60)


def test_a_closed_pipe_is_no_traceback(tmp_path: Path, db: str) -> None:
    for number in range(3):
        main(["load", "--db", db, str(write_log(tmp_path, f"{number}.jsonl", pi_log(session=str(number))))])
    command = f"{sys.executable} -m tabcore runs --json --db {db} | head -1"
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert ended.stdout == "[\n"
    assert "Traceback" not in ended.stderr


def test_the_five_lines_of_python_need_no_store(tmp_path: Path) -> None:
    import tabcore

    [loaded] = tabcore.load(str(write_log(tmp_path)))
    assert loaded.tab_at(2).text == GOLDEN.read_text("utf-8").rstrip("\n")


def test_open_loads_serves_prints_the_address_and_runs_nothing_that_lies_beside_the_log(
    tmp_path: Path, db: str
) -> None:
    import urllib.error
    import urllib.request

    log = write_log(tmp_path)
    trap = tmp_path / "trap"
    for name in ("streamlit", "json", "plotly"):
        (tmp_path / f"{name}.py").write_text(f"open({str(trap)!r}, 'w').close()")
    command = [sys.executable, "-P", "-m", "tabcore", "open", str(log), "--db", db, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        assert process.stdout is not None
        lines: list[str] = []
        for line in process.stdout:
            lines.append(line)
            if "http://127.0.0.1:" in line:
                break
        address = lines[-1].split("http://")[1].split()[0]
        with urllib.request.urlopen(f"http://{address}/_stcore/health", timeout=10) as answer:
            assert answer.read() == b"ok"
        process.terminate()
    assert any("loaded" in line for line in lines)
    with pytest.raises(urllib.error.URLError, match="refused"):
        urllib.request.urlopen(f"http://{address}/_stcore/health", timeout=10)
    assert not trap.exists(), "a module that lay beside the log was run"


def test_a_load_does_without_pandas_which_costs_it_a_third_of_a_second(tmp_path: Path, db: str) -> None:
    code = (
        "import sys\n"
        "from tabcore.cli import main\n"
        "main(sys.argv[1:])\n"
        "assert 'pyarrow' in sys.modules and 'pandas' not in sys.modules"
    )
    command = [sys.executable, "-c", code, "load", str(write_log(tmp_path)), "--db", db]
    assert subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode == 0
