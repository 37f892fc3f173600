// The tab at a turn, from what the widget was fed. Pure: no document here.

const READ = 0, SINCE = 1, STARRED = 2, LEFT = 3;

function makeModel(data) {
  const numbers = data.turns.map((turn) => turn.n);
  return {
    data,
    last: data.turns.length,
    numbers,
    // [turn, order from that turn on], ascending; of all turns once allRanked, else only the last that was asked for.
    orders: [],
    allRanked: false,
    review: null,
    excerpts: new Map(),
    jumps: {
      read: placesOf(data, (marks) => marks.read),
      operation: placesOf(data, (marks) => marks.added || marks.done || marks.unavailable || marks.review || marks.consulted || marks.refused),
      error: placesOf(data, (marks) => marks.error),
      stop: placesOf(data, (marks) => marks.stop),
    },
  };
}

function placesOf(data, wanted) {
  return data.turns.flatMap((turn, index) => (wanted(turn.marks) ? [index + 1] : []));
}

// Place (1 … last) of a turn number; the nearest earlier one when there is none of that number.
function placeOf(model, number) {
  let place = 1;
  for (let index = 0; index < model.numbers.length && model.numbers[index] <= number; index++) place = index + 1;
  return place;
}

function nextPlace(places, from, direction) {
  return direction > 0 ? places.find((place) => place > from) : places.findLast((place) => place < from);
}

function holds(candidate, turn) {
  return candidate[SINCE] <= turn && (candidate[LEFT] < 0 || turn < candidate[LEFT]);
}

function isStarred(candidate, turn) {
  return candidate[STARRED] >= 0 && candidate[STARRED] <= turn;
}

// Candidates after `turn`, ranked as known: matches by rank, then the starred ones, then the rest by path.
function candidatesAt(model, turn) {
  const all = model.data.candidates;
  const seen = new Uint8Array(all.length);
  const ranked = [];
  for (const candidate of orderBefore(model, turn)) {
    if (holds(all[candidate], turn)) { ranked.push(candidate); seen[candidate] = 1; }
  }
  const starred = [], rest = [];
  for (let candidate = 0; candidate < all.length; candidate++) {
    if (seen[candidate] || !holds(all[candidate], turn)) continue;
    (isStarred(all[candidate], turn) ? starred : rest).push(candidate);
  }
  return ranked.concat(starred, rest);
}

function orderBefore(model, turn) {
  let found = [];
  for (const [since, order] of model.orders) {
    if (since > turn) break;
    found = order;
  }
  return found;
}

// The message's moves -> one order a turn. A move is [candidate, its new position], flat.
function decodeOrders(model, rows) {
  const all = model.data.candidates;
  let before = [];
  return rows.map(([turn, flat]) => {
    const moved = new Map();
    for (let at = 0; at < flat.length; at += 2) moved.set(flat[at], flat[at + 1]);
    const kept = before.filter((candidate) => !moved.has(candidate) && holds(all[candidate], turn));
    const order = new Array(kept.length + moved.size).fill(-1);
    for (const [candidate, position] of moved) order[position] = candidate;
    let next = 0;
    for (let at = 0; at < order.length; at++) if (order[at] < 0) order[at] = kept[next++];
    before = order;
    return [turn, order];
  });
}

function entriesAt(model, turn) {
  const entries = model.data.entries;
  let low = 0, high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle].turn <= turn) low = middle + 1; else high = middle;
  }
  return low;
}

// How many of the first turns the request of `place` no longer had the results of, at a level of context management.
function displacedBefore(model, place, level) {
  const window = model.data.windows[level];
  return window && place >= window[0] ? Math.max(0, place - window[1] - 1) : 0;
}

// The first turn whose request no longer has the results of `place`; 0 where none lacks them.
function leavesAt(model, place, level) {
  const window = model.data.windows[level];
  const leaves = window ? Math.max(window[0], place + window[1] + 1) : Infinity;
  return leaves <= model.last ? model.numbers[leaves - 1] : 0;
}

// [turn, status, entry, reason] in effect after `turn`, or null while open.
function resolutionAt(requirement, turn) {
  return requirement.steps.findLast((step) => step[0] <= turn) ?? null;
}

// requirement -> {entries, candidates, line} as reviewed: for this very turn when that was asked for, else as last shown.
function matchesAt(model, turn) {
  let items = [];
  if (model.review && model.review.turn === turn) items = model.review.items;
  else for (const [since, matches] of model.data.reviews) if (since <= turn) items = matches;
  return new Map(items.map(([id, entries, candidates, line]) => [id, { entries, candidates, line }]));
}

// For one requirement, all it is tied to: what it cites and what its review names.
function tiesOf(model, turn) {
  const matches = matchesAt(model, turn);
  return model.data.requirements.filter((requirement) => requirement.turn <= turn).map((requirement) => {
    const step = resolutionAt(requirement, turn);
    const match = matches.get(requirement.id);
    const entries = new Set(match ? match.entries : []);
    if (step && step[2]) entries.add(step[2]);
    return { id: requirement.id, entries, candidates: new Set(match ? match.candidates : []) };
  });
}

function counted(number, one, many) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
