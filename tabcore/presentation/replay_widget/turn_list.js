// A list of places in a run, in groups; a place's button takes the replay of this page to its turn.

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function placeNode(run, [turn, call, path, words]) {
  const node = element("li");
  const button = element("button", "go", `turn ${turn.toLocaleString("en")}`);
  button.type = "button";
  button.onclick = () => window.dispatchEvent(new CustomEvent("runningtab:go", { detail: { run, turn } }));
  node.append(button);
  if (call) node.append(element("span", "faint", `call ${call}`));
  if (path) node.append(element("span", "path", path));
  if (words) node.append(element("span", "faint words", words));
  return node;
}

function groupNode(run, group) {
  const node = element("details", `group ${group.kind}`);
  node.open = group.open;
  const summary = element("summary");
  summary.append(element("i", "mark"), element("b", "", group.count.toLocaleString("en")), element("span", "", group.title));
  const list = element("ul");
  list.append(...group.places.map((place) => placeNode(run, place)));
  if (group.count > group.places.length) list.append(element("li", "faint", `… and ${(group.count - group.places.length).toLocaleString("en")} more`));
  node.append(summary, list);
  return node;
}

export default function (component) {
  const { parentElement: root, data } = component;
  const box = root.querySelector(".turn-list");
  const [red, green, blue] = getComputedStyle(box).backgroundColor.match(/[\d.]+/g)?.map(Number) ?? [255, 255, 255];
  box.dataset.scheme = 0.3 * red + 0.6 * green + 0.1 * blue < 128 ? "dark" : "light";
  if (!data || box.dataset.version === data.version) return;
  box.dataset.version = data.version;
  box.replaceChildren(...data.groups.map((group) => groupNode(data.run, group)));
}
