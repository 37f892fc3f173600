from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from dashboard_server import Server
from made_log import made_log, path_of, read_turn
from playwright.sync_api import Page, expect
from small_logs import pi_agent, pi_log, pi_result, pi_user
from visits import Visit

from tabcore import rerun

Made = tuple[Server, str]


def _open(visit: Visit, made: Made, turn: int | None = None) -> Page:
    query = f"/replay?run={made[1]}" + (f"&turn={turn}" if turn else "")
    page = visit.open(query)
    page.locator(".replay[data-turn]").wait_for()
    return page


def _at(page: Page, turn: int) -> None:
    expect(page.locator(".replay")).to_have_attribute("data-turn", str(turn))


def _candidates_shown(page: Page) -> list[str]:
    rows = page.locator(".candidate").evaluate_all(
        "rows => rows.map(row => [new DOMMatrix(getComputedStyle(row).transform).m42, row.querySelector('.path').title])"
        ".sort((a, b) => a[0] - b[0]).map(pair => pair[1])"
    )
    return [str(path) for path in rows]


def test_a_read_moves_the_file_from_the_candidates_to_the_read_log_and_back(visit: Visit, made_run: Made) -> None:
    turn = read_turn(5)
    page = _open(visit, made_run, turn - 1)
    expect(page.locator("[data-part=entries-count]")).to_have_text("5 entries")
    expect(page.locator("[data-part=candidates-count]")).to_contain_text("335 unopened")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".entry").first).to_contain_text(path_of(5).rsplit("/", 1)[1])
    expect(page.locator("[data-part=candidates-count]")).to_contain_text("334 unopened")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-part=entries-count]")).to_have_text("5 entries")
    expect(page.locator("[data-part=candidates-count]")).to_contain_text("335 unopened")


def test_the_file_that_is_read_is_seen_sliding(visit: Visit, made_run: Made) -> None:
    page = _open(visit, made_run, read_turn(5) - 1)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".ghost")).to_have_text(path_of(5).rsplit("/", 1)[1], timeout=400)
    expect(page.locator(".ghost")).to_have_count(0)


@pytest.mark.parametrize("visit", ["still"], indirect=True)
def test_nothing_slides_when_reduced_motion_is_asked_for(visit: Visit, made_run: Made) -> None:
    page = _open(visit, made_run, read_turn(5) - 1)
    page.evaluate(
        "() => { const ghosts = [...document.querySelectorAll('*')].map(n => n.shadowRoot).filter(Boolean)"
        ".map(r => r.querySelector('.ghosts')).find(Boolean); window.slid = 0;"
        "new MutationObserver(() => { window.slid += 1; }).observe(ghosts, {childList: true}); }"
    )
    page.keyboard.press("ArrowRight")
    _at(page, read_turn(5))
    page.wait_for_timeout(300)
    assert page.evaluate("() => window.slid") == 0


def test_the_keys_lead_where_they_say(visit: Visit, made_run: Made) -> None:
    page = _open(visit, made_run, 2)
    for key, turn in (
        ("r", read_turn(0)),
        ("r", read_turn(1)),
        ("Shift+R", read_turn(0)),
        ("t", 294),
        ("End", 300),
        ("ArrowLeft", 299),
        ("s", 300),
        ("Home", 1),
        ("ArrowRight", 2),
    ):
        page.keyboard.press(key)
        _at(page, turn)
    page.keyboard.press("e")
    expect(page.locator("[data-part=told]")).to_have_text("no later error")
    _at(page, 2)
    page.keyboard.press("?")
    expect(page.locator("[data-part=keys]")).to_be_visible()


def test_keys_typed_into_a_field_do_not_step(visit: Visit, made_run: Made) -> None:
    page = _open(visit, made_run, 5)
    page.get_by_text("Task and workspace root").click()
    field = page.get_by_role("textbox", name=re.compile("Workspace root"))
    field.press("End")
    field.press("r")
    field.press("ArrowLeft")
    _at(page, 5)


def test_playing_steps_by_itself_until_it_is_paused(visit: Visit, made_run: Made) -> None:
    page = _open(visit, made_run, 1)
    page.locator("[data-part=speed]").select_option("120")
    page.locator("[data-go=play]").click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('*')].some(n => Number(n.shadowRoot?.querySelector('.replay')?.dataset.turn) > 5)"
    )
    page.keyboard.press("ArrowRight")
    paused = page.locator(".replay").get_attribute("data-turn")
    page.wait_for_timeout(500)
    _at(page, int(paused or 0))
    expect(page.locator("[data-part=play]")).to_have_text("play")


def test_the_scrubber_and_the_strip_seek(visit: Visit, made_run: Made) -> None:
    page = _open(visit, made_run, 1)
    page.locator("[data-part=scrub]").fill("150")
    _at(page, 150)
    box = page.locator("[data-part=canvas]").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 250.5 / 300, box["y"] + 20)
    _at(page, 251)


def test_a_link_opens_the_same_turn_again(visit: Visit, made_run: Made) -> None:
    page = _open(visit, made_run, 40)
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"turn=41"))
    history = page.evaluate("() => window.history.length")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"turn=42"))
    assert page.evaluate("() => window.history.length") == history
    page.reload()
    _at(page, 42)
    expect(page.locator(".turn-text[data-turn='42']")).to_be_visible()


def test_the_turns_texts_follow_when_the_replay_rests(visit: Visit, made_run: Made) -> None:
    page = _open(visit, made_run, 2)
    page.locator("[data-part=scrub]").fill(str(read_turn(3)))
    expect(page.locator(f".turn-text[data-turn='{read_turn(3)}']")).to_contain_text("The limit is 120 a night.")


def test_the_excerpt_of_an_entry_comes_when_it_is_asked_for(visit: Visit, made_run: Made) -> None:
    page = _open(visit, made_run, read_turn(2))
    expect(page.locator(".entry pre").first).to_be_hidden()
    page.locator(".entry[data-id=L2] .head").click()
    expect(page.locator(".entry[data-id=L2] pre")).to_contain_text(f"file {path_of(1)}")


def test_capture_says_what_it_decided_and_by_which_rule(visit: Visit, made_run: Made) -> None:
    page = _open(visit, made_run, 2)
    listed = page.locator(".decision.listed summary")
    expect(listed).to_contain_text("340 files")
    expect(listed.locator(".rule")).not_to_be_empty()
    page.locator("[data-part=scrub]").fill(str(read_turn(3)))
    expect(page.locator(".decision.read .path")).to_have_attribute("title", path_of(3))


def test_the_candidates_stand_in_the_order_of_the_ranking(visit: Visit, made_run: Made) -> None:
    server, run_id = made_run
    turn = read_turn(9)
    page = _open(visit, made_run, 2)
    ranked = {number: [path for path, _ in rerun.candidate_order(server.store, run_id, number)] for number in (2, turn)}
    expect(page.locator(f".candidate .path[title='{ranked[2][0]}']")).to_be_visible()
    page.wait_for_timeout(1_000)
    assert _candidates_shown(page)[:10] == ranked[2][:10]
    page.locator("[data-part=scrub]").fill(str(turn))
    _at(page, turn)
    page.wait_for_timeout(1_000)
    assert _candidates_shown(page)[:10] == ranked[turn][:10]


def test_a_resolved_requirement_cites_its_entry_and_both_light_up(visit: Visit, made_run: Made) -> None:
    page = _open(visit, made_run, 293)
    expect(page.locator("[data-part=requirements-count]")).to_have_text("6 open of 6")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".lines path")).to_have_count(1, timeout=900)
    row = page.locator("button.requirement[data-id=r1]")
    expect(row).to_have_attribute("data-status", "done")
    expect(row.locator(".cites")).to_have_text("L1")
    row.hover()
    expect(page.locator(".entry[data-id=L1]")).to_have_class(re.compile("lit"))
    page.locator(".entry[data-id=L1] .head").hover()
    expect(row).to_have_class(re.compile("lit"))


@pytest.mark.parametrize("visit", ["light", "dark"], indirect=True)
def test_light_and_dark_are_told_apart(visit: Visit, made_run: Made, request: pytest.FixtureRequest) -> None:
    page = _open(visit, made_run, 5)
    wanted = request.node.callspec.params["visit"]
    expect(page.locator(".replay")).to_have_attribute("data-scheme", wanted)


def test_an_unknown_run_is_said_to_be_unknown(visit: Visit) -> None:
    page = visit.open("/replay?run=ffffffffffffffff&turn=3")
    expect(page.get_by_text("not in this store")).to_be_visible()
    expect(page.get_by_role("link", name="Go to the runs")).to_be_visible()


HOSTILE = (
    "</textarea><script>document.title='taken over'</script><img src=http://images.example/x.png> "
    "\x1b[31mred\x1b[0m![picture](http://images.example/y.png) :red[x] \u202egnp.evil\ud800 "
)


@pytest.fixture
def hostile_run(made_run: Made, tmp_path: Path) -> Iterator[str]:
    """A run whose every text tries something."""
    log = tmp_path / "![name](x).jsonl"
    log.write_text(made_log(40, 30, 6, 3, name="hostile", hostile=HOSTILE))
    [loaded] = rerun.load([str(log)], made_run[0].store)
    yield loaded.runs[0]
    rerun.delete(made_run[0].store, loaded.runs[0])


def test_texts_of_a_log_run_nothing_and_load_nothing(visit: Visit, hostile_run: str) -> None:
    page = visit.open(f"/replay?run={hostile_run}&turn=3")
    text = page.locator(".turn-text")
    expect(text).to_contain_text("<img src=http://images.example/x.png>")
    expect(text).to_contain_text("red![picture](http://images.example/y.png) :red[x] gnp.evil\ufffd")
    for name in ("log", "task", "unknown"):
        page.locator(f".st-key-{name} summary").click()
    page.get_by_role("textbox", name=re.compile("Task text")).wait_for()
    assert page.title() != "taken over"
    visit.open("/")
    page.locator("canvas").first.wait_for()
    page.wait_for_timeout(500)
    assert page.title() != "taken over"


def test_a_long_text_is_cut_says_so_and_shows_more_when_asked(visit: Visit, made_run: Made, tmp_path: Path) -> None:
    log = tmp_path / "long.jsonl"
    log.write_text(made_log(40, 30, 6, 3, name="long").replace("step 4", "begin " + "word " * 50_000 + "the-end"))
    [loaded] = rerun.load([str(log)], made_run[0].store)
    page = visit.open(f"/replay?run={loaded.runs[0]}&turn=4")
    result = page.locator(".turn-text .part.tool").last
    expect(result.locator(".cut")).to_contain_text("100,000 of 250,013 characters are shown")
    expect(result).not_to_contain_text("the-end")
    result.get_by_role("button", name="show more").click()
    result = page.locator(".turn-text .part.tool").last
    expect(result).to_contain_text("the-end")
    expect(result.locator(".cut")).to_have_count(0)
    rerun.delete(made_run[0].store, loaded.runs[0])


def test_what_has_left_the_window_is_greyed_from_the_turn_at_which_it_left(
    first_visit: Visit, empty_server: Server, tmp_path: Path
) -> None:
    reads = [
        entry
        for number in range(1, 11)
        for entry in (
            pi_agent("", (f"c{number}", "bash", {"command": f"cat /ws/{number}.txt"})),
            pi_result(f"c{number}", "words " * 2_000),
        )
    ]
    log = tmp_path / "long.jsonl"
    log.write_text(pi_log(pi_user("Read all of /ws"), *reads, pi_agent("Done.")))
    [loaded] = rerun.load([str(log)], empty_server.store)
    page = first_visit.open(f"/replay?run={loaded.runs[0]}&turn=10")
    expect(page.locator("[data-part=status] .window")).to_have_text("in the window to the end (level 3)")
    page.locator("[data-part=level]").select_option("5")
    greyed = page.locator(".entry.displaced .anchor")
    expect(greyed).to_have_text(["t3", "t2", "t1"])
    page.keyboard.press("Escape")
    page.locator("[data-go=back]").click()
    expect(greyed).to_have_text(["t2", "t1"])
    page.locator("[data-go=first]").click()
    expect(page.locator("[data-part=status] .window")).to_have_text("in the window until turn 8 (level 5)")
    page.locator("[data-part=level]").select_option("0")
    expect(greyed).to_have_count(0)
