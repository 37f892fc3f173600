// One file of a deliverable: which kinds are marked, which value is chosen; keys and address.

function makeDeliverable(box, data, { linked, address }) {
  const parts = Object.fromEntries([...box.querySelectorAll("[data-part]")].map((node) => [node.dataset.part, node]));
  const hidden = new Set();
  let chosen = null, small = false;
  parts.document.replaceChildren();
  const nodes = makeDocument(parts.document, data, (index) => choose(index));
  const tell = makeEvidence(parts.evidence, data, linked);
  const isMarked = (value) => !hidden.has(value.kind) && (small || value.counts);

  function choose(index, moves = false) {
    if (chosen !== null) { nodes[chosen]?.setAttribute("aria-pressed", "false"); }
    chosen = index;
    nodes.forEach((node) => { node.tabIndex = -1; });
    const anchor = index ?? data.values.findIndex(isMarked);
    if (nodes[anchor]) nodes[anchor].tabIndex = 0;
    if (index !== null) {
      nodes[index]?.setAttribute("aria-pressed", "true");
      if (moves) { nodes[index]?.scrollIntoView({ block: "center", inline: "nearest" }); nodes[index]?.focus({ preventScroll: true }); }
      if (!isMarked(data.values[index])) { hidden.delete(data.values[index].kind); small ||= !data.values[index].counts; mark(); }
    }
    tell(index);
    box.dataset.value = index === null ? "" : data.values[index].start;
    remember();
  }

  function remember() {
    if (!address) return;
    const url = new URL(window.location.href);
    url.searchParams.set("run", data.run);
    url.searchParams.set("file", data.file);
    if (chosen === null) url.searchParams.delete("value");
    else url.searchParams.set("value", data.values[chosen].start);
    window.history.replaceState(window.history.state, "", url);
  }

  // The next value that fits, from the chosen one on, round the end.
  function walk(step, fits) {
    const size = data.values.length;
    let index = chosen ?? (step > 0 ? -1 : size);
    for (let tried = 0; tried < size; tried++) {
      index = (index + step + size) % size;
      if (fits(data.values[index]) && nodes[index]) { choose(index, true); return; }
    }
  }

  const isOpen = (value) => value.counts && data.kinds[value.kind][0] === "unsupported";

  function mark() {
    nodes.forEach((node, index) => node.classList.toggle("plain", !isMarked(data.values[index])));
    const buttons = data.kinds.map(([kind, letter, meaning], number) => {
      const count = data.values.filter((value) => value.kind === number && (small || value.counts)).length;
      const button = element("button", `count value ${kind.replace(" ", "-")}`);
      button.type = "button";
      button.title = meaning;
      button.setAttribute("aria-pressed", String(!hidden.has(number)));
      button.append(element("b", "", count.toLocaleString("en")), " ", element("span", "figure", kind), letterNode(letter));
      button.onclick = () => { if (!hidden.delete(number)) hidden.add(number); mark(); parts.counts.children[number].focus(); };
      return button;
    });
    const trivial = data.values.filter((value) => !value.counts).length;
    const more = element("button", "count", `${trivial.toLocaleString("en")} small counts, years and dates`);
    more.type = "button";
    more.setAttribute("aria-pressed", String(small));
    more.onclick = () => { small = !small; mark(); parts.counts.lastChild.focus(); };
    parts.counts.replaceChildren(...buttons, ...(trivial ? [more] : []));
  }

  parts.note.textContent = data.note;
  showUses(parts, data, choose);
  mark();
  const wanted = address ? new URL(window.location.href).searchParams : new URLSearchParams();
  const start = wanted.get("value");
  const first = start && (!wanted.get("file") || wanted.get("file") === data.file) ? data.values.findIndex((value) => String(value.start) === start) : -1;
  if (first >= 0) choose(first, true);
  else { tell(null); box.dataset.value = ""; const anchor = data.values.findIndex(isMarked); if (nodes[anchor]) nodes[anchor].tabIndex = 0; remember(); }
  return {
    key(event) {
      const target = event.composedPath()[0];
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.("input, textarea, select, [contenteditable], [inert]")) return;
      const inside = parts.document.contains(target);
      if (event.key === "n" || event.key === "p") walk(event.key === "n" ? 1 : -1, isOpen);
      else if (inside && target.matches(".value") && (event.key === "ArrowRight" || event.key === "ArrowLeft")) walk(event.key === "ArrowRight" ? 1 : -1, isMarked);
      else if (event.key === "Escape" && chosen !== null) choose(null);
      else return;
      event.preventDefault();
    },
  };
}

export default function (component) {
  const { parentElement: root, data, linked = true, address = true } = component;
  const box = root.querySelector(".deliverable");
  const [red, green, blue, alpha = 1] = getComputedStyle(box).backgroundColor.match(/[\d.]+/g)?.map(Number) ?? [255, 255, 255];
  box.dataset.scheme = alpha && 0.3 * red + 0.6 * green + 0.1 * blue < 128 ? "dark" : "light";
  if (data && box.dataset.version !== data.version) {
    box.dataset.version = data.version;
    root.runningtabKeys?.();
    const page = makeDeliverable(box, data, { linked, address });
    window.addEventListener("keydown", page.key);
    root.runningtabKeys = () => { window.removeEventListener("keydown", page.key); delete box.dataset.version; };
  }
  return root.runningtabKeys;
}
