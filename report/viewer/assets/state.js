// Where the page is stands in the address behind #: whoever has it, and the same
// run, sees the same. The token is taken out of it at once.

const lasting = ["split", "family", "category", "outcome", "tool", "mark", "low", "high", "find", "sort", "desc", "q", "where", "of", "item", "a", "b", "one"];

export const filters = ["split", "family", "category", "outcome", "tool", "mark", "low", "high", "find"];

export const state = {};

export function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of lasting) state[key] = given.get(key) || "";
}

/** write keeps the state in the address; with a step back where push is set. */
export function write(push) {
  const p = new URLSearchParams();
  for (const key of lasting) if (state[key]) p.set(key, state[key]);
  const hash = "#" + p;
  if (hash === location.hash || (hash === "#" && !location.hash)) return;
  history[push ? "pushState" : "replaceState"](null, "", location.pathname + hash);
}

export function dropToken() {
  if (location.search) history.replaceState(null, "", location.pathname + location.hash);
}

/** query is the filter for a question to the server, and what else it asks. */
export function query(more) {
  const p = new URLSearchParams();
  for (const key of filters) if (state[key]) p.set(key, state[key]);
  for (const [key, v] of Object.entries(more || {})) if (v !== "" && v !== undefined && v !== null) p.set(key, v);
  return p;
}

/** get asks the server; what goes wrong is an error with the server's words. */
export async function get(path, params, signal) {
  const r = await fetch(`/api/${path}?${params || ""}`, {signal});
  const body = await r.json();
  if (!r.ok) throw new Error(body.error);
  return body;
}
