// Where the page is stands in the address behind #: whoever has it, and the same
// run, sees the same. The token is taken out of it at once and kept for this tab.

const lasting = ["split", "family", "category", "outcome", "tool", "mark", "low", "high", "find", "sort", "desc", "q", "where", "of", "item", "a", "b", "one"];

export const filters = ["split", "family", "category", "outcome", "tool", "mark", "low", "high", "find"];

export const state = {};

export function read() {
  takeToken();
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

/** takeToken moves the token from the address to the storage of this tab, which survives a reload. */
function takeToken() {
  const p = new URLSearchParams(location.hash.slice(1));
  if (!p.has("token")) return;
  sessionStorage.setItem("token", p.get("token"));
  p.delete("token");
  const hash = p.toString();
  history.replaceState(null, "", location.pathname + (hash && "#" + hash));
}

/** ask sends a request with the token; what goes wrong is an error with the server's words. */
export async function ask(path, options) {
  const headers = {...options?.headers, Authorization: `Bearer ${sessionStorage.getItem("token") || ""}`};
  const r = await fetch(`/api/${path}`, {...options, headers});
  if (!r.ok) throw new Error((await r.json()).error);
  return r;
}

/** query is the filter for a question to the server, and what else it asks. */
export function query(more) {
  const p = new URLSearchParams();
  for (const key of filters) if (state[key]) p.set(key, state[key]);
  for (const [key, v] of Object.entries(more || {})) if (v !== "" && v !== undefined && v !== null) p.set(key, v);
  return p;
}

/** get asks the server for JSON. */
export async function get(path, params, signal) {
  return (await ask(`${path}?${params || ""}`, {signal})).json();
}
