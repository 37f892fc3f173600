// The three columns. Rows are kept by name and only what differs is touched; of the candidates only those in sight exist.

const ROW = 22, SPARE = 6, NEWEST = 200;

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function pathParts(path) {
  const cut = path.lastIndexOf("/") + 1;
  const node = element("span", "path");
  node.title = path;
  if (cut) node.append(element("span", "folder", path.slice(0, cut)));
  node.append(element("span", "file", path.slice(cut)));
  return node;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function makeRequirements(list, count, light) {
  const rows = new Map();
  function row(requirement) {
    const node = element("button", "requirement");
    node.type = "button";
    node.dataset.id = requirement.id;
    node.setAttribute("aria-pressed", "false");
    node.append(element("i", "mark"), element("span", "id", requirement.id), element("span", "text", requirement.text), element("span", "cites"));
    light.watch(node, { requirement: requirement.id });
    return node;
  }
  return {
    rows,
    show(model, turn) {
      const matches = matchesAt(model, turn);
      const present = model.data.requirements.filter((requirement) => requirement.turn <= turn);
      let open = 0;
      present.forEach((requirement, index) => {
        let node = rows.get(requirement.id);
        if (!node) rows.set(requirement.id, node = row(requirement));
        if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null);
        const step = resolutionAt(requirement, turn);
        if (!step) open++;
        const status = step ? step[1] : "open";
        if (node.dataset.status !== status) node.dataset.status = status;
        setText(node.lastChild, cites(step, matches.get(requirement.id)));
        node.title = `${requirement.id} ${status}, stated in turn ${requirement.turn}${step ? `, resolved in turn ${step[0]}` : ""}`;
      });
      while (list.children.length > Math.max(present.length, 0)) list.lastChild.remove();
      if (!present.length) list.append(element("p", "none", model.data.requirements.length ? "none stated yet" : "the run states no requirement"));
      setText(count, present.length ? `${open} open of ${present.length}` : "");
    },
  };
}

function cites(step, match) {
  if (step) return step[1] === "done" ? step[2] : `unavailable: ${step[3]}`;
  if (!match || !match.entries.length) return "";
  return `best: ${match.entries[0]}${match.line ? ` “${match.line}”` : ""}`;
}

function makeEntries(list, count, light, ask) {
  const rows = new Map();
  let whole = false;
  const older = element("button", "older");
  older.type = "button";
  const none = element("p", "none");

  function row(entry, model) {
    const node = element("div", "entry");
    node.dataset.id = entry.id;
    const head = element("button", "head");
    head.type = "button";
    head.setAttribute("aria-expanded", "false");
    head.append(element("i", "mark"), element("span", "id", entry.id), pathParts(entry.path), element("span", "anchor", `t${entry.turn}`));
    const about = [`turn ${entry.turn}`, counted(entry.chars, "character", "characters"), ...entry.notes, entry.command];
    const detail = element("div", "detail");
    detail.hidden = true;
    detail.append(element("p", "faint", about.join(" · ")), element("pre", "", ""));
    head.title = entry.path;
    head.addEventListener("click", () => toggle(head, detail, entry, model));
    if (entry.notes.length) head.insertBefore(element("span", "note", entry.notes.join(", ")), head.lastChild);
    node.append(head, detail);
    light.watch(node, { entry: entry.id });
    return node;
  }

  function toggle(head, detail, entry, model) {
    detail.hidden = !detail.hidden;
    head.setAttribute("aria-expanded", String(!detail.hidden));
    if (detail.hidden) return;
    const known = model.excerpts.get(entry.id);
    const pre = detail.lastChild;
    if (known) fillExcerpt(pre, known, entry.turn);
    else { pre.textContent = "fetching the excerpt …"; ask(entry.id); }
  }

  return {
    rows,
    fill(id, message, turn) {
      const node = rows.get(id);
      if (node) fillExcerpt(node.lastChild.lastChild, message, turn);
    },
    show(model, turn, gone = 0) {
      const held = entriesAt(model, turn);
      const first = whole ? 0 : Math.max(0, held - NEWEST);
      const wanted = [];
      for (let index = held - 1; index >= first; index--) {
        const entry = model.data.entries[index];
        let node = rows.get(entry.id);
        if (!node) rows.set(entry.id, node = row(entry, model));
        node.classList.toggle("displaced", entry.turn <= gone);
        wanted.push(node);
      }
      if (first) {
        older.textContent = `show ${counted(first, "older entry", "older entries")}`;
        older.onclick = () => { whole = true; this.show(model, turn, gone); };
        wanted.push(older);
      }
      if (!held) { none.textContent = model.data.entries.length ? "nothing read yet" : "the run reads no file"; wanted.push(none); }
      arrange(list, wanted);
      setText(count, held ? counted(held, "entry", "entries") : "");
    },
  };
}

function fillExcerpt(pre, message, turn) {
  pre.textContent = message.excerpt || "(empty)";
  pre.tabIndex = 0;
  pre.setAttribute("aria-label", "Excerpt");
  if (message.shown < message.length) {
    pre.append(element("em", "cut", `\n… ${counted(message.length - message.shown, "character", "characters")} more; the text of turn ${turn} has them`));
  }
}

// Children of `list` become `wanted`, newest first: usually one row comes or goes at the top.
function arrange(list, wanted) {
  const keep = new Set(wanted);
  for (const node of [...list.children]) if (!keep.has(node)) node.remove();
  wanted.forEach((node, index) => {
    if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null);
  });
}

function makeCandidates(list, rows, count, light) {
  const pool = new Map();
  let model = null, turn = 0, order = [];

  function row(position) {
    const candidate = model.data.candidates[position];
    const node = element("div", "candidate");
    node.append(element("b", "star"), pathParts(candidate[READ]));
    node.dataset.position = position;
    light.watch(node, { candidate: position });
    return node;
  }

  function draw() {
    const from = Math.max(0, Math.floor(list.scrollTop / ROW) - SPARE);
    const to = Math.min(order.length, Math.ceil((list.scrollTop + (list.clientHeight || 340)) / ROW) + SPARE);
    const inSight = new Set(order.slice(from, to));
    for (const [position, node] of pool) {
      if (!inSight.has(position)) { node.remove(); pool.delete(position); }
    }
    for (let at = from; at < to; at++) {
      const position = order[at];
      let node = pool.get(position);
      if (!node) { pool.set(position, node = row(position)); rows.append(node); }
      const place = `translateY(${at * ROW}px)`;
      if (node.style.transform !== place) node.style.transform = place;
      setText(node.firstChild, isStarred(model.data.candidates[position], turn) ? "*" : "");
    }
    light.paint();
  }

  list.addEventListener("scroll", draw, { passive: true });
  return {
    pool,
    draw,
    show(newModel, newTurn) {
      model = newModel; turn = newTurn;
      order = candidatesAt(model, turn);
      const starred = order.filter((position) => isStarred(model.data.candidates[position], turn)).length;
      rows.style.height = `${order.length * ROW}px`;
      rows.dataset.none = order.length ? "" : (model.data.candidates.length ? "no candidate at this turn" : "the run lists no file");
      setText(count, order.length ? `${order.length.toLocaleString("en")} unopened, ${starred.toLocaleString("en")} *` : "");
      draw();
    },
  };
}
