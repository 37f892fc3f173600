// The other side: each file that was read, how many of its values were delivered, and which.

const NAMED = 12;

function showUses(parts, data, choose) {
  const { uses } = data;
  const used = uses.filter((use) => use[2]).length;
  parts["uses-count"].textContent = uses.length ? `${used.toLocaleString("en")} of ${counted(uses.length, "file")}` : "no file was read";
  const table = element("table");
  const head = element("tr");
  for (const title of ["file", "read log", "used / held", "delivered here"]) { const cell = element("th", "", title); cell.scope = "col"; head.append(cell); }
  table.append(head);
  for (const [path, entries, delivered, held, values] of uses) {
    const row = element("tr");
    const share = element("td", "share");
    const bar = element("i", "bar");
    bar.style.setProperty("--share", held ? delivered / held : 0);
    share.append(element("span", "", `${delivered.toLocaleString("en")} / ${held.toLocaleString("en")}`), bar);
    const where = element("div", "where");
    for (const index of values.slice(0, NAMED)) {
      const button = element("button", "go", data.values[index].text);
      button.type = "button";
      button.onclick = () => choose(index, true);
      where.append(button);
    }
    if (values.length > NAMED) where.append(element("span", "faint", `… ${values.length - NAMED} more`));
    row.append(element("td", "path", path), element("td", "faint", entries), share, element("td"));
    row.lastChild.append(where);
    table.append(row);
  }
  parts["uses-list"].replaceChildren(...(uses.length ? [table] : []));
}
