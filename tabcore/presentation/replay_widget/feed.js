// Hands a message from Python to the replay on the same page. It stays for a replay that is mounted later.

export default function (component) {
  const message = component.data;
  if (!message) return;
  const kept = (window.runningtabFeed ??= new Map());
  const name = ["orders", "order", "entry", "review"].find((key) => message[key] !== undefined);
  kept.set(name, message);
  window.dispatchEvent(new CustomEvent("runningtab:fed", { detail: message }));
}
