// The replay: fed once, it steps through the turns by itself and tells Python where it rests.

const REST = 250;

function makeReplay(root) {
  const box = root.querySelector(".replay");
  const parts = Object.fromEntries([...box.querySelectorAll("[data-part]")].map((node) => [node.dataset.part, node]));
  const rowsOf = (name) => ({ requirements: requirements.rows, entries: entries.rows, candidates: candidates.pool })[name];
  const light = makeLight(rowsOf);
  const requirements = makeRequirements(parts.requirements, parts["requirements-count"], light);
  const entries = makeEntries(parts.entries, parts["entries-count"], light, (id) => tell("entry", id));
  const candidates = makeCandidates(parts.candidates, parts["candidate-rows"], parts["candidates-count"], light);
  const panel = makeTurnPanel(parts.calls, parts.status);
  let model = null, strip = null, place = 0, playing = 0, resting = 0, unseen = 0, tell = () => {};

  function go(next, { quiet = false } = {}) {
    const wanted = Math.min(model.last, Math.max(1, next));
    if (wanted === place) return;
    const near = Math.abs(wanted - place) === 1 && !quiet && !still();
    const before = near ? positionsBefore(place, wanted) : null;
    const earlier = place;
    place = wanted;
    show();
    if (before) move(before);
    if (wanted === earlier + 1 && !quiet) showResolved();
    rest();
  }

  function show() {
    const turn = model.numbers[place - 1];
    setText(parts.turn, String(turn));
    if (parts.scrub.value !== String(place)) parts.scrub.value = String(place);
    parts.scrub.setAttribute("aria-valuetext", `turn ${turn} of ${model.numbers[model.last - 1]}`);
    strip.moveTo(place);
    light.follow(model, turn);
    requirements.show(model, turn);
    const level = Number(parts.level.value), gone = displacedBefore(model, place, level);
    strip.grey(gone);
    entries.show(model, turn, gone ? model.numbers[gone - 1] : 0);
    candidates.show(model, turn);
    panel.show(model.data.turns[place - 1], leavesAt(model, place, level), level);
    box.dataset.turn = turn;
    if (place === model.last) unseen = 0;
    parts.arrived.hidden = !unseen;
    setText(parts.arrived, unseen ? `${unseen} new turn${unseen === 1 ? "" : "s"}` : "");
  }

  // Files that change columns between two neighbouring turns, with where they are now.
  function positionsBefore(from, to) {
    clearMotion(parts.ghosts, parts.lines);
    const forward = to > from;
    const turn = model.numbers[Math.max(from, to) - 1];
    const ids = model.data.entries.slice(entriesAt(model, turn - 1), entriesAt(model, turn)).slice(0, MOST);
    const moving = ids.map((entry) => ({ entry, candidate: model.data.candidates.findIndex((c) => c[LEFT] === turn && c[READ] === entry.path) })).filter((pair) => pair.candidate >= 0);
    if (!moving.length) return null;
    const first = ({ entry, candidate }) => (forward ? seen(candidates.pool.get(candidate), parts.candidates) : seen(entries.rows.get(entry.id), parts.entries));
    return { forward, moving: moving.map((pair) => ({ ...pair, box: first(pair) })) };
  }

  function move({ forward, moving }) {
    if (forward) parts.entries.scrollTop = 0;
    for (const { entry, candidate, box: from } of moving) {
      const node = forward ? entries.rows.get(entry.id) : candidates.pool.get(candidate);
      slide(parts.ghosts, entry.path.slice(entry.path.lastIndexOf("/") + 1), from, seen(node, forward ? parts.entries : parts.candidates));
      if (node) node.animate([{ opacity: 0 }, { opacity: 0, offset: 0.7 }, { opacity: 1 }], { duration: SLIDE });
    }
  }

  function showResolved() {
    const turn = model.numbers[place - 1];
    for (const requirement of model.data.requirements) {
      const step = requirement.steps.find((one) => one[0] === turn && one[2]);
      const from = step && requirements.rows.get(requirement.id), to = step && entries.rows.get(step[2]);
      if (from && to) drawLine(parts.lines, seen(from, parts.requirements), seen(to, parts.entries));
    }
  }

  function rest() {
    clearTimeout(resting);
    window.dispatchEvent(new CustomEvent("runningtab:left", { detail: { run: model.data.run, turn: model.numbers[place - 1] } }));
    resting = setTimeout(() => {
      address();
      if (!playing) tell("turn", model.numbers[place - 1]);
    }, REST);
  }

  function address() {
    const url = new URL(window.location.href);
    url.searchParams.set("run", model.data.run);
    url.searchParams.set("turn", String(model.numbers[place - 1]));
    if (url.href !== window.location.href) window.history.replaceState(window.history.state, "", url);
  }

  function jump(kind, direction) {
    const next = nextPlace(model.jumps[kind], place, direction);
    const word = kind === "operation" ? "tab operation" : kind;
    setText(parts.told, next === undefined ? `no ${direction > 0 ? "later" : "earlier"} ${word}` : "");
    if (next !== undefined) go(next);
  }

  function play(on) {
    clearInterval(playing);
    playing = on ? setInterval(() => { if (place >= model.last) play(false); else go(place + 1); }, Number(parts.speed.value)) : 0;
    setText(parts.play, playing ? "pause" : "play");
    box.querySelector("[data-go=play]").setAttribute("aria-pressed", String(Boolean(playing)));
    parts.turn.setAttribute("aria-live", playing ? "off" : "polite");
    if (!on && model) rest();
  }

  const actions = {
    first: () => go(1), back: () => go(place - 1), forward: () => go(place + 1), last: () => go(model.last),
    play: () => { if (!playing && place >= model.last) go(1); play(!playing); },
    read: (direction) => jump("read", direction), operation: (direction) => jump("operation", direction),
    error: (direction) => jump("error", direction), stop: (direction) => jump("stop", direction),
    keys: () => {
      parts.keys.hidden = !parts.keys.hidden;
      box.querySelector("[data-go=keys]").setAttribute("aria-expanded", String(!parts.keys.hidden));
    },
  };

  function act(name, direction) {
    if (name !== "play" && playing) play(false);
    if (!["read", "operation", "error", "stop"].includes(name)) setText(parts.told, "");
    actions[name](direction);
  }

  const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play", r: "read", t: "operation", e: "error", s: "stop", "?": "keys" };

  function press(event) {
    const name = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!model || !name || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTaken(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    act(name, event.shiftKey ? -1 : 1);
  }

  // True where the key belongs to what has the focus, or the page lies behind a dialog.
  function isTaken(event) {
    const target = event.composedPath()[0];
    if (target.closest?.("input:not(.scrub), textarea, select, [contenteditable=true], [role=dialog]")) return true;
    if (event.key === " " && target.closest?.("button, summary, a")) return true;
    if ((event.key === "Home" || event.key === "End") && target.closest?.(".list, pre")) return true;
    return Boolean((root.host ?? box).closest("[inert]"));
  }

  box.addEventListener("click", (event) => {
    const button = event.target.closest("[data-go]");
    if (button) act(button.dataset.go, event.shiftKey ? -1 : 1);
  });
  parts.scrub.addEventListener("input", () => { play(false); go(Number(parts.scrub.value), { quiet: true }); });
  parts.level.addEventListener("change", () => { if (model) show(); });
  parts.speed.addEventListener("change", () => { if (playing) play(true); });

  function hear(event) {
    const message = event.detail;
    if (!model || message.version !== model.data.version) return;
    if (message.orders) { model.orders = decodeOrders(model, message.orders); model.allRanked = true; }
    if (message.order && !model.allRanked) model.orders = [[0, message.order]];
    if (message.review) model.review = { turn: message.turn, items: message.review };
    if (message.entry === undefined) { show(); return; }
    model.excerpts.set(message.entry, message);
    entries.fill(message.entry, message, model.data.entries.find((entry) => entry.id === message.entry)?.turn);
  }

  // Another part of the page names a turn of this run.
  function visit(event) {
    if (!model || event.detail.run !== model.data.run) return;
    play(false);
    go(placeOf(model, event.detail.turn), { quiet: true });
    box.scrollIntoView({ block: "start", behavior: still() ? "auto" : "smooth" });
  }

  // The same run, grown: the reader stays at the turn, rows and excerpts that are open stay open.
  function grow(data) {
    const before = model, turn = model.numbers[place - 1];
    drop(requirements.rows, changed(before.data.requirements, data.requirements));
    drop(entries.rows, changed(before.data.entries, data.entries));
    drop(candidates.pool, [...candidates.pool.keys()]);
    model = makeModel(data);
    for (const [id, message] of before.excerpts) if (entries.rows.has(id)) model.excerpts.set(id, message);
    unseen += Math.max(0, model.last - before.last);
    draw(turn);
  }

  function feed(data) {
    if (model && model.data.run === data.run && model.last && data.turns.length) return grow(data);
    play(false);
    for (const rows of [requirements.rows, entries.rows, candidates.pool]) drop(rows, [...rows.keys()]);
    model = makeModel(data);
    unseen = 0;
    draw(turnOfAddress(data) ?? data.opening);
    address();
  }

  function draw(turn) {
    const { data } = model;
    parts.simulated.closest("p").hidden = !data.simulated;
    setText(parts.simulated, data.simulated);
    setText(parts.turns, String(model.numbers[model.last - 1] ?? 0));
    parts.scrub.max = String(Math.max(1, model.last));
    strip?.close();
    delete box.dataset.drawn;
    strip = makeStrip(parts, model, (next) => { if (playing) play(false); go(next, { quiet: true }); });
    place = placeOf(model, turn);
    show();
    for (const message of window.runningtabFeed?.values() ?? []) hear({ detail: message });
  }

  return {
    update(component) {
      tell = component.setStateValue;
      if (component.data && (!model || model.data.version !== component.data.version)) feed(component.data);
      const scheme = isDark(box) ? "dark" : "light";
      if (box.dataset.drawn === scheme) return;
      box.dataset.scheme = box.dataset.drawn = scheme;
      strip?.draw();
    },
    attach() {
      window.addEventListener("keydown", press, true);
      window.addEventListener("runningtab:fed", hear);
      window.addEventListener("runningtab:go", visit);
    },
    detach() {
      play(false);
      clearTimeout(resting);
      window.removeEventListener("keydown", press, true);
      window.removeEventListener("runningtab:fed", hear);
      window.removeEventListener("runningtab:go", visit);
    },
  };
}

function drop(rows, names) {
  for (const name of names) {
    rows.get(name)?.remove();
    rows.delete(name);
  }
}

// Ids of what is no more, or is otherwise.
function changed(before, now) {
  const same = new Map(now.map((one) => [one.id, JSON.stringify(one)]));
  return before.filter((one) => same.get(one.id) !== JSON.stringify(one)).map((one) => one.id);
}

function turnOfAddress(data) {
  const query = new URL(window.location.href).searchParams;
  const turn = Number.parseInt(query.get("turn"), 10);
  return query.get("run") === data.run && turn > 0 ? turn : null;
}

function isDark(node) {
  const [red, green, blue] = getComputedStyle(node).backgroundColor.match(/[\d.]+/g)?.map(Number) ?? [255, 255, 255];
  return 0.3 * red + 0.6 * green + 0.1 * blue < 128;
}

// Called at first and whenever data or theme change; what is kept lies on the root.
export default function (component) {
  const root = component.parentElement;
  const replay = (root.runningtab ??= makeReplay(root));
  const token = (root.runningtabToken = {});
  replay.update(component);
  replay.attach();
  return () => { if (root.runningtabToken === token) replay.detach(); };
}
