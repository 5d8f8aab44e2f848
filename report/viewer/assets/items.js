import {count, el, id, number} from "./dom.js";
import {ask, filters, get, query, state, write} from "./state.js";

let page = {items: [], total: 0, all: 0}, hits = null, running = null, two = false, open = () => {};

/** rows are what j and k go through: items, or hits while there are some. */
export const rows = () => (hits ? hits.list : page.items);

export const searching = () => hits !== null;

export function begin(about, onOpen) {
  two = about.runs.length > 1;
  open = onOpen;
  form(about);
}

const columns = () => [
  ["item", "Item"], ["mean", "Mean", "mean reward of its rollouts"], ["sd", "σ", "standard deviation"], ["gap", "Gap", "best minus mean: what training could gain"],
  two ? ["change", "Δ", "mean of the second run minus mean of the first"] : ["calls", "Calls", "tool calls of a rollout, on average"],
];

// form makes the filter's fields once; what they hold follows the address.
function form(about) {
  const choice = (key, label, values, extra) => (values || []).length + (extra || []).length > 1 || state[key]
    ? el("label", null, label, el("select", {name: key}, el("option", {value: ""}, "all"), ...(extra || []).map(([v, t]) => el("option", {value: v}, t)), ...(values || []).map((v) => el("option", {value: v}, v)))) : null;
  const box = id("filter"), others = [
    choice("split", "Split", about.splits), choice("outcome", "Outcome", about.outcomes), choice("family", "Family", about.families), choice("category", "Category", about.categories),
    choice("tool", "Tool", about.tools), choice("mark", "Label", about.marks, [["any", "any"], ["none", "none yet"]]),
    el("label", null, "Reward", el("input", {type: "number", step: "any", name: "low", "aria-label": "lowest reward", placeholder: "from"}), el("input", {type: "number", step: "any", name: "high", "aria-label": "highest reward", placeholder: "to"})),
    el("button", {type: "button", name: "clear"}, "Clear"),
  ];
  box.replaceChildren(
    el("label", null, "Item", el("input", {type: "text", name: "find", placeholder: "part of its id", spellcheck: "false"})),
    el("label", null, "Sort", el("select", {name: "sort"}, ...[["gap", "gap"], ["file", "as in the file"], ["item", "item"], ["mean", "mean"], ["sd", "σ"], ["change", "difference"], ["calls", "calls"], ["failures", "outcome"], ["labels", "labels"], ["family", "family"]].filter(([v]) => two || v !== "change").map(([v, t]) => el("option", {value: v}, t)))),
    el("details", {open: filters.some((key) => key !== "find" && state[key])}, el("summary", null, "Filter"), el("div", {class: "tools"}, others.filter(Boolean))));
  fill();
  box.onsubmit = (e) => e.preventDefault();
  box.oninput = (e) => {
    if (!e.target.name) return;
    state[e.target.name] = e.target.value;
    if (e.target.name === "sort") state.desc = ["sd", "gap", "calls", "failures", "labels"].includes(state.sort) ? "1" : "";
    write();
    refresh();
  };
  box.elements.clear.onclick = () => {
    for (const key of filters) state[key] = "";
    fill();
    write();
    refresh();
  };
}

/** fill puts the address into the fields. */
export function fill() {
  for (const e of id("filter").elements) if (e.name in state) e.value = e.name === "sort" ? order().sort : state[e.name];
  id("query").value = state.q;
}

/** refresh asks again for what the list shows. */
export async function refresh() {
  if (state.q) return search(0);
  stop();
  hits = null;
  const mine = new AbortController();
  running = mine;
  try {
    const got = await get("items", query({...order(), limit: Math.max(500, page.items.length)}), mine.signal);
    page = got;
    draw();
  } catch (e) {
    if (!mine.signal.aborted) said(e.message);
  }
}

function stop() {
  if (running) running.abort();
  running = null;
}

const said = (text) => id("list").replaceChildren(el("p", {class: "said", role: "alert"}, text));

// order is how the items are sorted: by the gap, the largest first, until another is asked for.
const order = () => (state.sort ? {sort: state.sort, desc: state.desc} : {sort: "gap", desc: "1"});

function sortBy(key) {
  const now = order();
  if (now.sort === key) [state.sort, state.desc] = [key, now.desc ? "" : "1"];
  else {
    state.sort = key;
    state.desc = key === "item" || key === "mean" ? "" : "1";
  }
  write();
  fill();
  refresh();
}

function draw() {
  const focus = document.activeElement?.dataset?.sort;
  const list = id("list"), top = list.scrollTop;
  const head = columns().map(([key, label, title]) => el("th", {scope: "col", title, "aria-sort": order().sort === key ? (order().desc ? "descending" : "ascending") : null}, el("button", {type: "button", "data-sort": key, onclick: () => sortBy(key)}, label)));
  const body = page.items.map((r) => el("tr", {"data-key": keyOf(r), "aria-current": current(r) ? "true" : null},
    el("td", null, el("button", {type: "button", class: "item", onclick: () => go(r)}, r.item), el("small", null, [r.split, r.family || r.category].filter(Boolean).join(" · "), ...ends(r), ...tags(r.marks))),
    ...[r.mean, r.sd, r.gap, two ? r.change : r.calls].map((v) => el("td", null, number(v)))));
  list.replaceChildren(
    el("table", null, el("caption", {class: "skip"}, "Items"), el("thead", null, el("tr", null, head)), el("tbody", null, body)),
    el("p", {class: "more quiet"}, page.items.length < page.total ? `${page.items.length} of ` : "", page.total < page.all ? `${page.total.toLocaleString("en")} of ${count(page.all, "item")}` : count(page.all, "item")),
    page.items.length < page.total ? el("button", {type: "button", class: "more", onclick: more}, "More items") : "",
    page.note ? el("p", {class: "said"}, page.note) : "");
  list.scrollTop = top;
  if (focus) list.querySelector(`[data-sort="${focus}"]`)?.focus();
}

async function more() {
  const got = await get("items", query({...order(), from: page.items.length}));
  page = {...got, items: page.items.concat(got.items)};
  draw();
}

// ends says how many rollouts ended otherwise than with a grade.
function ends(r) {
  const failed = r.n - (r.outcomes.graded || 0);
  return failed ? [" · ", el("span", {class: "failed"}, `${failed} of ${r.n} without a grade`)] : [];
}

function tags(marks) {
  return Object.entries(marks).sort().map(([m, n]) => [" ", el("span", {class: "tag m-" + m, title: `${count(n, "label")} “${m}”`}, `${n} × ${m}`)]);
}

const keyOf = (r) => `${r.split}/${r.item}`;

const current = (r) => r.split === state.of && r.item === state.item && (!hits || state.a === `${r.run}:${r.sample}`);

/** mark shows which row is open, and brings it into sight. */
export function mark() {
  const all = [...id("list").querySelectorAll("[data-key]")];
  rows().forEach((r, i) => {
    if (!all[i]) return;
    if (current(r)) {
      all[i].setAttribute("aria-current", "true");
      all[i].scrollIntoView({block: "nearest"});
    } else all[i].removeAttribute("aria-current");
  });
}

// go opens a row, and remembers where among the hits that is.
function go(r) {
  if (hits) hits.at = hits.list.indexOf(r);
  return open(r);
}

/** step opens the next row, or the one before. */
export function step(by) {
  const all = rows(), at = hits ? hits.at : all.findIndex(current);
  const to = at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by;
  if (all[to]) go(all[to]);
  else if (to >= all.length && !hits && page.items.length < page.total) more();
}

/** search lists hits as they come; from is where to go on. */
export async function search(from) {
  stop();
  const mine = new AbortController();
  running = mine;
  if (!from || !hits) hits = {list: [], end: null, at: -1};
  const asked = state.q, found = hits, status = el("p", {class: "more quiet", role: "status"}, "Searching…");
  const list = el("ol", {class: "hits"});
  found.list.forEach((h) => list.append(hit(h, asked)));
  id("list").replaceChildren(el("p", {class: "more"}, el("button", {type: "button", onclick: closeHits}, "Back to the items")), list, status);
  try {
    const r = await ask("search?" + query({q: asked, from, run: state.where}), {signal: mine.signal});
    for await (const line of lines(r.body)) {
      if (line.error) throw new Error(line.error);
      if (line.hit) {
        line.hit.run = state.where || "0";
        found.list.push(line.hit);
        list.append(hit(line.hit, asked));
      } else found.end = line.end;
      status.textContent = `${count(found.list.length, "rollout")} so far`;
    }
    const end = found.end;
    status.textContent = found.list.length ? count(found.list.length, "rollout") + (end.done ? "" : ", and there may be more") : `Nobody said “${asked}”.`;
    if (!end.ready) status.textContent += ` The index is being made: ${count(end.lines, "rollout")} were searched.`;
    if (!end.done || !end.ready) status.after(el("button", {type: "button", class: "more", onclick: () => search(end.next)}, "Go on"));
  } catch (e) {
    if (!mine.signal.aborted) status.replaceWith(el("p", {class: "said", role: "alert"}, e.message));
  }
}

export function closeHits() {
  state.q = "";
  write(true);
  fill();
  refresh();
}

async function* lines(body) {
  const decoder = new TextDecoder(), reader = body.getReader();
  let rest = "";
  for (;;) {
    const {value, done} = await reader.read();
    rest += decoder.decode(value, {stream: !done});
    const all = rest.split("\n");
    rest = all.pop();
    for (const one of all) if (one) yield JSON.parse(one);
    if (done) return;
  }
}

function hit(h, asked) {
  return el("li", {"data-key": keyOf(h), "aria-current": current(h) ? "true" : null},
    el("button", {type: "button", class: "item", onclick: () => go(h)}, `${h.item}, sample ${h.sample}`), " ",
    el("span", {class: "quiet"}, `${h.split} · reward ${number(h.score)} `), h.outcome === "graded" ? "" : el("span", {class: "tag o-" + h.outcome}, h.outcome), ...h.labels.filter((l) => l.mark).map((l) => [" ", el("span", {class: "tag m-" + l.mark}, l.mark)]),
    h.places.map((p) => el("p", null, el("span", {class: "what"}, p.what, ": "), p.before, el("mark", null, p.match), p.after)),
    h.more ? el("p", {class: "what"}, `and in ${count(h.more, "more text")}`) : "");
}
