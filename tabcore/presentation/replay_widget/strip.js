// The strip over all turns: one cell a turn, a bar for the characters received, a lane for each kind of mark.

const BARS = 34, LANE = 12;
const LANES = [
  ["read", "read", [["read", "square", "--read"]]],
  ["listed", "listed", [["listed", "hollow", "--listed"]]],
  ["written", "written", [["authored", "pencil", "--written"]]],
  ["requirement", "requirement", [["added", "ring", "--requirement"], ["done", "disc", "--requirement"], ["unavailable", "dashed", "--requirement"]]],
  ["tab", "tab asked", [["review", "tick", "--operation"], ["consulted", "tick", "--operation"], ["refused", "cross", "--operation"]]],
  ["end", "error, stop", [["error", "cross", "--error"], ["stop", "bar", "--person"], ["finish", "check", "--person"]]],
];

function makeStrip(parts, model, seek) {
  const { canvas, field, cursor, tip, lanes, gone } = parts;
  lanes.replaceChildren(...[["bars", "characters"], ...LANES].map(([name, label]) => {
    const row = document.createElement("div");
    row.className = `lane ${name}`;
    row.textContent = label;
    return row;
  }));
  const height = BARS + LANES.length * LANE;
  let width = 0;

  function draw() {
    width = field.clientWidth;
    if (!width) return;
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    paint(pen, width, model.data.turns, getComputedStyle(field));
    canvas.setAttribute("aria-label", described(model));
  }

  function placeAt(event) {
    const box = field.getBoundingClientRect();
    const place = Math.floor(((event.clientX - box.left) / box.width) * model.last) + 1;
    return Math.min(model.last, Math.max(1, place));
  }

  function point(event) {
    const place = placeAt(event);
    if (event.buttons & 1) seek(place);
    tip.textContent = hint(model.data.turns[place - 1]);
    tip.hidden = false;
    const left = ((place - 0.5) / model.last) * width;
    tip.style.transform = `translateX(${Math.max(0, Math.min(left + 8, width - tip.offsetWidth))}px)`;
  }

  field.addEventListener("pointerdown", (event) => seek(placeAt(event)));
  field.addEventListener("pointermove", point);
  field.addEventListener("pointerleave", () => { tip.hidden = true; });
  const observer = new ResizeObserver(draw);
  observer.observe(field);
  return {
    draw,
    moveTo(place) {
      cursor.style.width = `${100 / model.last}%`;
      cursor.style.left = `${((place - 1) * 100) / model.last}%`;
    },
    grey(turns) {
      gone.hidden = !turns;
      gone.style.width = `${(100 * turns) / model.last}%`;
    },
    close: () => observer.disconnect(),
  };
}

function hint(turn) {
  const marks = Object.entries(turn.marks).map(([kind, count]) => (count > 1 ? `${kind} ${count}` : kind));
  return [`turn ${turn.n}`, counted(turn.received, "character", "characters"), ...marks].join(" · ");
}

function described(model) {
  const total = (kind) => model.data.turns.filter((turn) => turn.marks[kind]).length;
  return `All ${model.last} turns; files read in ${total("read")}, listed in ${total("listed")}, written in ${total("authored")}, ` +
    `requirements added in ${total("added")} and resolved in ${total("done") + total("unavailable")}, errors in ${total("error")}, stops in ${total("stop")}`;
}

function paint(pen, width, turns, style) {
  const ink = (name) => style.getPropertyValue(name).trim();
  const cell = width / turns.length;
  const most = Math.sqrt(Math.max(1, ...turns.map((turn) => turn.received)));
  pen.clearRect(0, 0, width, BARS + LANES.length * LANE);
  pen.fillStyle = ink("--rule");
  LANES.forEach((_, lane) => pen.fillRect(0, BARS + lane * LANE - 0.5, width, 0.5));
  pen.fillStyle = ink("--bar");
  turns.forEach((turn, index) => {
    const tall = turn.received ? Math.max(1.5, (Math.sqrt(turn.received) / most) * (BARS - 3)) : 0;
    pen.fillRect(index * cell + Math.min(1, cell * 0.12), BARS - 1 - tall, Math.max(0.75, cell - Math.min(2, cell * 0.24)), tall);
  });
  const size = Math.max(4, Math.min(8, cell * 0.85));
  LANES.forEach(([, , kinds], lane) => {
    const middle = BARS + lane * LANE + LANE / 2;
    turns.forEach((turn, index) => {
      const present = kinds.filter(([kind]) => turn.marks[kind]);
      const step = Math.min(size + 1, cell / Math.max(1, present.length));
      present.forEach(([, shape, colour], at) => {
        const x = (index + 0.5) * cell + (at - (present.length - 1) / 2) * step;
        glyph(pen, shape, x, middle, size, ink(colour));
      });
    });
  });
}

function glyph(pen, shape, x, y, size, colour) {
  const half = size / 2;
  pen.fillStyle = pen.strokeStyle = colour;
  pen.lineWidth = size < 4 ? 1 : 1.5;
  pen.setLineDash(shape === "dashed" ? [1.6, 1.4] : []);
  pen.beginPath();
  switch (shape) {
    case "square": pen.fillRect(x - half, y - half, size, size); return;
    case "hollow": pen.rect(x - half + 0.5, y - half + 0.5, Math.max(1, size - 1), Math.max(1, size - 1)); break;
    case "bar": pen.fillRect(x - Math.max(0.75, half / 2.5), y - half - 1, Math.max(1.5, size / 2.5), size + 2); return;
    case "disc": pen.arc(x, y, half, 0, 7); pen.fill(); return;
    case "ring": case "dashed": pen.arc(x, y, Math.max(0.5, half - 0.5), 0, 7); break;
    case "tick": pen.moveTo(x, y - half - 1); pen.lineTo(x, y + half + 1); break;
    case "cross": pen.moveTo(x - half, y - half); pen.lineTo(x + half, y + half); pen.moveTo(x + half, y - half); pen.lineTo(x - half, y + half); break;
    case "check": pen.moveTo(x - half, y); pen.lineTo(x - half / 4, y + half); pen.lineTo(x + half, y - half); break;
    case "pencil": pen.moveTo(x - half, y + half); pen.lineTo(x + half, y - half); pen.moveTo(x - half, y + half); pen.lineTo(x - half / 3, y + half); break;
  }
  pen.stroke();
}
