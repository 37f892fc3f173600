// What belongs together lights up: a requirement with its entries and candidates, and the other way round.

function makeLight(rowsOf) {
  let ties = [], over = null, pinned = null;
  const lit = { requirements: new Set(), entries: new Set(), candidates: new Set() };

  function gather() {
    Object.values(lit).forEach((set) => set.clear());
    const chosen = over ?? (pinned && { requirement: pinned });
    if (!chosen) return;
    for (const tie of ties) {
      if (tie.id !== chosen.requirement && !tie.entries.has(chosen.entry) && !tie.candidates.has(chosen.candidate)) continue;
      lit.requirements.add(tie.id);
      if (chosen.requirement) { tie.entries.forEach((id) => lit.entries.add(id)); tie.candidates.forEach((position) => lit.candidates.add(position)); }
    }
    if (chosen.entry) lit.entries.add(chosen.entry);
    if (chosen.candidate !== undefined) lit.candidates.add(chosen.candidate);
  }

  function paint() {
    for (const [name, set] of Object.entries(lit)) {
      for (const [id, node] of rowsOf(name)) {
        const on = set.has(id);
        if (node.classList.contains("lit") !== on) node.classList.toggle("lit", on);
      }
    }
  }

  function change(next) { over = next; gather(); paint(); }

  return {
    paint,
    follow(model, turn) {
      if (!over && !pinned) { ties = null; this.pending = () => tiesOf(model, turn); return; }
      ties = tiesOf(model, turn); gather(); paint();
    },
    pending: () => [],
    watch(node, what) {
      const enter = () => { ties = ties ?? this.pending(); change(what); };
      node.addEventListener("pointerenter", enter);
      node.addEventListener("pointerleave", () => change(null));
      node.addEventListener("focusin", enter);
      node.addEventListener("focusout", () => change(null));
      if (!what.requirement) return;
      node.addEventListener("click", () => {
        pinned = pinned === what.requirement ? null : what.requirement;
        for (const [id, row] of rowsOf("requirements")) row.setAttribute("aria-pressed", String(id === pinned));
        ties = ties ?? this.pending();
        change(pinned ? what : null);
      });
    },
  };
}
