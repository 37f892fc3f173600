// What is known of one value: the formula, the places with the lines around them, the way into the replay.

function makeEvidence(box, data, linked) {
  function turnNode([kind, , , turn, call], start, end) {
    if (!turn) return element("span", "faint", "before the first turn");
    if (!linked) return element("span", "", `turn ${turn}`);
    const link = element("a", "turn", `turn ${turn}`);
    const query = new URLSearchParams({ run: data.run, turn });
    if (["read", "listing", "program", "other"].includes(kind)) query.set("mark", `${call}:${start}:${end}`);
    link.href = new URL(`replay?${query}`, window.location.href);
    link.title = "See it in the replay";
    return link;
  }

  function placeNode([number, start, end, equal, first, before, left, marked, right, after], wordless) {
    const source = data.sources[number];
    const node = element("section", `place ${source[0]}`);
    const head = element("p", "head");
    head.append(element("i", "mark"));
    if (source[2]) head.append(element("b", "", source[2]));
    head.append(element("span", "path", source[1]), turnNode(source, start, end));
    if (equal && !wordless) head.append(element("span", "faint equal", equal));
    const lines = element("ol", "lines");
    const row = (number, ...content) => {
      const item = element("li");
      const text = element("span");
      text.append(...content);
      item.append(element("b", "", number.toLocaleString("en")), text);
      lines.append(item);
      return item;
    };
    before.forEach((text, offset) => row(first + offset, text));
    const here = first + before.length;
    row(here, left, element("mark", "", marked), right).className = "here";
    after.forEach((text, offset) => row(here + 1 + offset, text));
    node.append(head, lines);
    if (source[5] && source[0] === "read") node.append(element("p", "faint rule", `how it was read: ${source[5]}`));
    return node;
  }

  function formulaNode(formula) {
    const node = element("section", "formula");
    node.append(element("p", "faint", formula.name), element("p", "words", formula.words), element("p", "faint", formula.chance));
    node.append(element("p", "faint", `${data.falseFormulas}.`));
    const operands = element("details", "operands");
    operands.open = formula.operands.length < 4;
    operands.append(element("summary", "", counted(formula.operands.length + formula.more, "number")));
    operands.append(...formula.operands.map((place) => placeNode(place, true)));
    if (formula.more) operands.append(element("p", "faint", `… and ${formula.more.toLocaleString("en")} more`));
    node.append(operands);
    return node;
  }

  function nothing() {
    const start = data.values.length ? "Choose a value to see where it came from." : "No value stands in this file.";
    box.replaceChildren(element("p", "hint", start));
    if (!data.values.length) return;
    const keys = element("p", "hint");
    keys.append(element("kbd", "", "n"), " ", element("kbd", "", "p"), " next and previous unsupported value · ", element("kbd", "", "←"), " ", element("kbd", "", "→"), " the value beside");
    const list = element("dl", "legend");
    for (const [kind, letter, meaning] of data.kinds) {
      const term = element("dt", `value ${kind.replace(" ", "-")}`);
      term.append(element("span", "figure", kind), letterNode(letter));
      const row = element("div");
      row.append(term, element("dd", "", meaning));
      list.append(row);
    }
    box.append(keys, list, element("p", "hint", `Formulas: ${data.falseFormulas}.`));
    if (data.bounded) box.append(element("p", "hint", "There is more than is searched for formulas: a value may be derived and not known to be."));
  }

  return (index) => {
    if (index === null) { nothing(); return; }
    const value = data.values[index];
    const [kind, letter, meaning] = data.kinds[value.kind];
    const head = element("header");
    const name = element("h3", `value ${kind.replace(" ", "-")}`);
    name.append(element("span", "figure", value.text), letterNode(letter));
    head.append(name, element("p", "kind", `${kind}: ${meaning}`), element("p", "faint", `in ${value.place}${value.counts ? "" : " · a small count, a year or a date: no evidence by itself"}`));
    box.replaceChildren(head);
    if (value.formula) box.append(formulaNode(value.formula));
    const [best, ...others] = value.places;
    if (best) {
      if (value.formula) box.append(element("h4", "", "Seen as well"));
      box.append(placeNode(best));
    } else if (!value.formula) box.append(element("p", "nothing", "No file that was read, nothing the task says, no output and no words of the agent before it hold this value."));
    if (others.length || value.more) {
      box.append(element("h4", "", counted(others.length + value.more, "other place")));
      box.append(...others.map((place) => placeNode(place)));
      if (value.more) box.append(element("p", "faint", `… and ${counted(value.more, "place")} more`));
    }
    box.scrollTop = 0;
  };
}
