// The texts of the turn on which the replay rests. Everything of the record goes in by textContent.

const MORE = 5;

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function textBlock(part, name) {
  const pre = element("pre", "text");
  pre.tabIndex = 0;
  pre.setAttribute("aria-label", name);
  for (const [text, origin, what] of part.pieces) {
    const piece = element(origin === "tool" ? "mark" : "span", origin ? `piece ${origin}` : "", text);
    if (origin) piece.title = what ? `${origin}: ${what}` : origin;
    pre.append(piece);
  }
  if (!part.pieces.length) pre.append(element("em", "faint", "(empty)"));
  return pre;
}

function partNode(part, more) {
  const node = element("section", `part ${part.origin}`);
  const head = element("h4", "", part.title);
  head.append(element("span", "faint", ` ${part.length.toLocaleString("en")} characters`));
  node.append(head);
  const body = element("div", "body");
  body.append(textBlock(part, part.title));
  node.append(body);
  if (part.decisions?.length) node.append(decisions(part.decisions));
  if (part.shown < part.length) {
    const cut = element("p", "cut", `${part.shown.toLocaleString("en")} of ${part.length.toLocaleString("en")} characters are shown. `);
    const button = element("button", "", "show more");
    button.type = "button";
    button.onclick = more;
    cut.append(button);
    node.append(cut);
  }
  return node;
}

function decisions(rows) {
  const node = element("details", "decisions");
  node.append(element("summary", "", `what capture decided: ${rows.length.toLocaleString("en")}`));
  const table = element("table");
  table.append(...rows.map((row) => {
    const line = element("tr");
    line.append(...row.map((cell) => element("td", "", cell)));
    return line;
  }));
  node.append(table);
  return node;
}

function differenceNode(difference) {
  const node = element("section", "part difference");
  const place = difference.call ? `, call ${difference.call}` : "";
  node.append(element("h4", "", `the recorded ${difference.what} differs from the derived one${place}`));
  for (const side of ["recorded", "derived"]) {
    const row = element("div", `side ${side}`);
    row.append(element("b", "", side), element("pre", "text", difference[side]));
    node.append(row);
  }
  return node;
}

// A text that is higher than its frame is clipped, fades, and opens on "more".
function clip(node) {
  for (const body of node.querySelectorAll(".body")) {
    const pre = body.firstChild;
    if (pre.scrollHeight <= pre.clientHeight + 4) continue;
    body.classList.add("clipped");
    const button = element("button", "more", "more …");
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    button.onclick = () => {
      const open = body.classList.toggle("open");
      button.textContent = open ? "less" : "more …";
      button.setAttribute("aria-expanded", String(open));
    };
    body.append(button);
  }
}

// The value that the address asked for: its text is opened and scrolled to it.
function uncover(mark) {
  if (!mark) return;
  const body = mark.closest(".body");
  if (body.classList.contains("clipped") && !body.classList.contains("open")) body.querySelector(".more").click();
  mark.scrollIntoView({ block: "center" });
}

export default function (component) {
  const { parentElement: root, data, setStateValue } = component;
  const box = root.querySelector(".turn-text");
  const [red, green, blue] = getComputedStyle(box).backgroundColor.match(/[\d.]+/g)?.map(Number) ?? [255, 255, 255];
  box.dataset.scheme = 0.3 * red + 0.6 * green + 0.1 * blue < 128 ? "dark" : "light";
  if (data && box.dataset.version !== data.version) {
    box.dataset.version = data.version;
    box.dataset.turn = data.turn;
    const more = () => setStateValue("wanted", { turn: data.turn, cap: data.cap * MORE });
    const about = element("p", "about", data.about);
    box.replaceChildren(about, ...data.differences.map(differenceNode), ...data.parts.map((part) => partNode(part, more)));
    if (!data.parts.length) box.append(element("p", "faint", "This turn has no text."));
    clip(box);
    uncover(box.querySelector("mark"));
  }
  const left = (event) => box.classList.toggle("stale", event.detail.run === data?.run && event.detail.turn !== data?.turn);
  root.runningtabLeft?.();
  window.addEventListener("runningtab:left", left);
  box.classList.remove("stale");
  root.runningtabLeft = () => window.removeEventListener("runningtab:left", left);
  return root.runningtabLeft;
}
