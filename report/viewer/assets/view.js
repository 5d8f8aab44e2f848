import {count, el, id} from "./dom.js";
import * as item from "./item.js";
import * as items from "./items.js";
import {ask, get, read, state, write} from "./state.js";

let versions = "";

// open shows the item of a row, or the rollout of a hit.
function open(r) {
  if (r.split !== state.of || r.item !== state.item || "places" in r) {
    [state.of, state.item, state.a, state.b, state.one] = [r.split, r.item, "", "", ""];
    if ("places" in r) [state.a, state.one] = [`${r.run}:${r.sample}`, "1"];
    write(true);
  }
  items.mark();
  return item.show(r.places?.[0]?.at);
}

function tell(about) {
  const names = about.runs.map((r) => r.title);
  id("title").textContent = names.join(" beside ");
  document.title = names.join(" beside ") + " · gonogo view";
  id("redacted").hidden = !about.redacted;
  id("labels").hidden = about.redacted;
  const out = [];
  for (const r of about.runs) {
    const s = r.state, parts = [count(s.rollouts, "rollout")];
    if (!s.ready) parts.push(`indexing, ${s.total ? Math.floor(100 * s.bytes / s.total) : 0} %`);
    if (s.superseded) parts.push(`${s.superseded.toLocaleString("en")} replaced`);
    if (s.bad.length) parts.push(`${count(s.bad.length, "line")} cannot be read, such as line ${s.bad[0].line}`);
    if (s.torn) parts.push("the last line has no end yet");
    if (s.note) parts.push(s.note);
    if (r.variants) parts.push(`variants: ${r.variants.join(", ")}`);
    out.push(parts.join(" · "));
  }
  id("state").textContent = [...out, ...about.notes].join(" | ");
}

// watch follows a run that is being indexed, sampled or labelled.
async function watch() {
  let wait = 3000;
  try {
    const about = await get("run");
    tell(about);
    if (about.runs.some((r) => !r.state.ready)) wait = 700;
    const now = JSON.stringify(about.runs.map((r) => r.version));
    if (now !== versions && !items.searching()) items.refresh().then(items.mark);
    if (now !== versions) item.grow();
    versions = now;
  } catch (e) {
    id("state").textContent = `The server does not answer: ${e.message}`;
  }
  setTimeout(watch, wait);
}

const keys = {
  j: () => items.step(1), k: () => items.step(-1), n: () => item.next(1), p: () => item.next(-1), o: item.other, b: item.best, s: item.onePane, u: item.unmarked, e: item.note,
  1: () => item.mark(0), 2: () => item.mark(1), 3: () => item.mark(2), 4: () => item.mark(3),
  "/": () => { id("query").focus(); id("query").select(); }, f: () => id("filter").elements[0].focus(), "?": () => id("keys").showModal(),
  Escape: () => { if (items.searching()) items.closeHits(); },
};

function onKey(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || id("keys").open) return;
  const field = e.target.closest("input, select, textarea");
  if (field) {
    if (e.key === "Escape") field.blur();
    return;
  }
  const act = keys[e.key];
  if (!act) return;
  e.preventDefault();
  act();
}

// download saves a file of the server under its name: a plain link would ask for it without the token.
async function download(name) {
  const a = el("a", {href: URL.createObjectURL(await (await ask(name)).blob()), download: name});
  a.click();
  URL.revokeObjectURL(a.href);
}

async function begin() {
  read();
  document.addEventListener("keydown", onKey);
  id("labels").onclick = (e) => {
    e.preventDefault();
    download("labels.jsonl").catch((e) => { id("state").textContent = e.message; });
  };
  id("help").onclick = () => id("keys").showModal();
  id("search").onsubmit = (e) => {
    e.preventDefault();
    state.q = id("query").value;
    state.where = id("where").value;
    write(true);
    if (state.q) items.search(0);
    else items.refresh();
    id("query").blur();
  };
  addEventListener("popstate", () => {
    read();
    items.fill();
    items.refresh().then(items.mark);
    item.show();
  });
  try {
    const about = await get("run");
    tell(about);
    item.begin(about, () => { if (!items.searching()) items.refresh().then(items.mark); });
    items.begin(about, open);
    id("search").hidden = about.redacted;
    id("where").hidden = about.runs.length < 2;
    id("where").value = state.where;
    await items.refresh();
    const first = items.rows()[0];
    if (!state.item && first && !items.searching()) await open(first);
    else await item.show();
    items.mark();
  } catch (e) {
    id("main").replaceChildren(el("p", {class: "said", role: "alert"}, e.message));
  }
  setTimeout(watch, 700);
}

begin();
