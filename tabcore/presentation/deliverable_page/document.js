// The deliverable as it is laid out. Everything of the record goes in by textContent.

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

const counted = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

// The letter says what the colour says; what is spoken is the kind itself.
function letterNode(letter) {
  const node = element("sup", "", letter);
  node.setAttribute("aria-hidden", "true");
  return node;
}

function makeDocument(box, data, choose) {
  const nodes = [];

  function valueNode(index) {
    const value = data.values[index];
    const [kind, letter] = data.kinds[value.kind];
    const node = element("button", `value ${kind.replace(" ", "-")}${value.counts ? "" : " small"}`);
    node.type = "button";
    node.tabIndex = -1;
    node.dataset.index = index;
    node.setAttribute("aria-pressed", "false");
    node.append(element("span", "figure", value.text), letterNode(letter), element("span", "said", `, ${kind}`));
    node.onclick = () => choose(index);
    nodes[index] = node;
    return node;
  }

  const fill = (node, parts) => {
    node.append(...parts.map((part) => (typeof part === "number" ? valueNode(part) : part)));
    return node;
  };

  function tableNode(place, rows) {
    const frame = element("div", "table");
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", place || "table");
    const table = element("table");
    const columns = [...new Set(rows.flatMap((row) => row.map((cell) => cell[0])))].sort((a, b) => a - b);
    rows.forEach((row, number) => {
      const cells = new Map(row.map((cell) => [cell[0], cell]));
      const line = element("tr");
      for (const column of columns) {
        const cell = cells.get(column);
        const node = element(number || rows.length === 1 ? "td" : "th");
        if (!number && rows.length > 1) node.scope = "col";
        if (cell) {
          fill(node, cell[3]);
          if (typeof cell[3][0] === "number") node.classList.add("number");
          if (cell[1] || cell[2]) node.title = [cell[1], cell[2] && `stored: ${cell[2]}`].filter(Boolean).join(" · ");
        }
        line.append(node);
      }
      table.append(line);
    });
    frame.append(table);
    return frame;
  }

  for (const [kind, place, parts] of data.blocks) {
    if (kind === "table") { box.append(tableNode(place, parts)); continue; }
    const node = element("p", parts.length ? kind : "blank");
    if (place) node.title = place;
    box.append(fill(node, parts));
  }
  if (data.empty) box.append(element("p", "nothing", data.empty));
  if (data.cut > 0) box.append(element("p", "nothing", `… ${counted(data.cut, "character")} more of this file are not shown, nor their values.`));
  return nodes;
}
