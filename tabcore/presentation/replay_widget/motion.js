// What moves between two turns: files between candidates and read log, a line from a requirement to its entry.

const SLIDE = 420, STAY = 1400, MOST = 8;
const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

// The part of a rectangle that its scrolled list shows; the list's near edge when it shows none of it.
function seen(node, list) {
  const frame = list.getBoundingClientRect();
  if (!node || !node.isConnected) return { left: frame.left, top: frame.top, width: frame.width, height: 22 };
  const box = node.getBoundingClientRect();
  const top = Math.min(Math.max(box.top, frame.top), frame.bottom - 22);
  return { left: box.left, top, width: box.width, height: 22 };
}

function slide(layer, label, from, to) {
  const origin = layer.getBoundingClientRect();
  const ghost = document.createElement("div");
  ghost.className = "ghost";
  ghost.textContent = label;
  ghost.style.width = `${to.width}px`;
  layer.append(ghost);
  const at = (box) => `translate(${box.left - origin.left}px, ${box.top - origin.top}px)`;
  const animation = ghost.animate(
    [{ transform: at(from), opacity: 0.9 }, { transform: at(to), opacity: 1, offset: 0.85 }, { transform: at(to), opacity: 0 }],
    { duration: SLIDE, easing: "cubic-bezier(.3,.1,.2,1)" },
  );
  animation.onfinish = animation.oncancel = () => ghost.remove();
}

function drawLine(layer, from, to) {
  const origin = layer.getBoundingClientRect();
  const x1 = from.left + from.width - origin.left, y1 = from.top + 11 - origin.top;
  const x2 = to.left - origin.left, y2 = to.top + 11 - origin.top;
  const bend = Math.max(24, Math.abs(x2 - x1) / 2);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", `M ${x1 - 6} ${y1} C ${x1 + bend} ${y1}, ${x2 - bend} ${y2}, ${x2 + 6} ${y2}`);
  layer.append(path);
  const fade = still() ? [{ opacity: 1 }, { opacity: 1 }] : [{ opacity: 0 }, { opacity: 1, offset: 0.15 }, { opacity: 1, offset: 0.7 }, { opacity: 0 }];
  const animation = path.animate(fade, { duration: STAY });
  animation.onfinish = animation.oncancel = () => path.remove();
}

function clearMotion(ghosts, lines) {
  for (const node of [...ghosts.children, ...lines.children]) node.getAnimations().forEach((animation) => animation.cancel());
}
