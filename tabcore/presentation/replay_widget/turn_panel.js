// The turn's own calls, what capture decided about each and why, and the status line after them.

const CALLS = 12;
const KINDS = { read: "read", listed: "listed", authored: "written", renamed: "renamed", unknown: "undecided", neither: "neither" };

function makeTurnPanel(calls, status) {
  let whole = false, shownFor = null;
  return {
    show(turn, leaves, level) {
      if (shownFor !== turn) whole = false;
      shownFor = turn;
      const rows = turn.calls.slice(0, whole ? undefined : CALLS).map(callRow);
      if (!turn.calls.length) rows.push(element("p", "none", noCall(turn)));
      if (turn.calls.length > rows.length) {
        const more = element("button", "older", `show ${counted(turn.calls.length - rows.length, "more call", "more calls")}`);
        more.type = "button";
        more.onclick = () => { whole = true; this.show(turn, leaves, level); };
        rows.push(more);
      }
      calls.replaceChildren(...rows);
      status.replaceChildren(element("span", "", turn.status));
      if (turn.calls.length) status.append(element("span", "window", leaves ? `in the window until turn ${leaves} (level ${level})` : `in the window to the end (level ${level})`));
      if (turn.marks.different) status.append(element("strong", "differs", `${counted(turn.marks.different, "recorded text differs", "recorded texts differ")} from the derived: see below`));
    },
  };
}

function noCall(turn) {
  if (turn.marks.stop) return turn.marks.finish ? "stop: the response has no tool call; the finish check was sent" : "stop: the response has no tool call";
  return turn.outcome === "complete" ? "no tool call" : `the response was ${turn.outcome}`;
}

function callRow(call) {
  const node = element("div", "call");
  const head = element("div", "head");
  head.append(element("b", "name", call.name), element("code", "command", call.command === call.name ? "" : call.command));
  head.append(element("span", "faint", call.answered ? `shown ${counted(call.shown, "character", "characters")}` : "no result in the record"));
  if (call.error) head.append(element("span", "error", "✕ error"));
  node.append(head);
  if (call.operation) node.append(decision("operation", `tab operation: ${call.operation}`, "never captured"));
  else if (!call.found.length) node.append(decision("nothing", "capture: no file", call.answered ? "no rule saw a file read, listed or written" : "without a result nothing can have been shown"));
  for (const found of call.found) node.append(foundRow(found));
  return node;
}

function foundRow(found) {
  const words = `${KINDS[found.kind] ?? found.kind}${found.partial ? " (preview)" : ""}`;
  if (found.count === 1) {
    const node = decision(found.kind, words, found.rule);
    node.insertBefore(pathParts(found.paths[0] || "(no path)"), node.lastChild);
    return node;
  }
  const node = element("details", `decision ${found.kind}`);
  const summary = element("summary");
  summary.append(element("i", "mark"), element("span", "kind", words), element("span", "path", counted(found.count, "file", "files")), element("span", "rule", found.rule));
  const paths = element("ul");
  paths.append(...found.paths.map((path) => element("li", "", path)));
  if (found.count > found.paths.length) paths.append(element("li", "faint", `… and ${(found.count - found.paths.length).toLocaleString("en")} more, below`));
  node.append(summary, paths);
  return node;
}

function decision(kind, words, rule) {
  const node = element("div", `decision ${kind}`);
  node.append(element("i", "mark"), element("span", "kind", words), element("span", "rule", rule));
  return node;
}
