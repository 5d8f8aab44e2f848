import {matched} from "./diff.js";
import {block, count, el, id, number} from "./dom.js";
import {message, rollout} from "./rollout.js";
import {ask, get, query, state, write} from "./state.js";

let about = {}, item = null, panes = [null, null], active = 0, turn = 0, changed = () => {};

export function begin(a, onChange) {
  about = a;
  changed = onChange;
}

const say = (text) => { id("live").textContent = text; };

const ref = (run, sample) => `${run}:${sample}`;

// pick finds the rollouts to begin with: the best of the first run beside the
// worst of the last, or what the filter wants of them.
function bestAndWorst() {
  const of = (run) => {
    const all = item.runs[run].rollouts, wanted = all.filter((r) => r.wanted);
    return (wanted.length ? wanted : all).slice().sort((x, y) => (y.score ?? -Infinity) - (x.score ?? -Infinity));
  };
  const first = of(0), last = item.runs.length - 1;
  if (last && first.length && of(last).length) return [ref(0, first[0].sample), ref(last, of(last)[0].sample)];
  const run = first.length ? 0 : last, all = of(run), scored = all.filter((r) => r.score !== null);
  if (!all.length) return ["", ""];
  const worst = (scored.length > 1 ? scored : all)[(scored.length > 1 ? scored : all).length - 1];
  return [ref(run, all[0].sample), all.length > 1 ? ref(run, worst.sample) : ""];
}

/** show opens the item of the address, and its rollouts. at is where to look. */
export async function show(at) {
  const mine = ++turn;
  if (!state.item) {
    item = null;
    id("main").replaceChildren(el("p", {class: "quiet"}, "Open an item: j goes to the next one."));
    return;
  }
  try {
    const got = await get("item", query({of: state.of, item: state.item}));
    if (mine !== turn) return;
    item = got;
    if (!state.a) [state.a, state.b] = bestAndWorst();
    write();
    await load(mine);
  } catch (e) {
    if (mine === turn) id("main").replaceChildren(el("p", {class: "said", role: "alert"}, e.message));
    return;
  }
  if (mine === turn) {
    draw();
    look(at);
    say(`Item ${item.item}, ${count(item.runs[0].rollouts.length, "rollout")}, mean reward ${number(item.runs[0].row?.mean)}`);
  }
}

/** grow shows rollouts of the item that came meanwhile, and labels of others. */
export async function grow() {
  if (!item || !state.item || document.activeElement?.classList.contains("note")) return;
  const mine = turn;
  try {
    const got = await get("item", query({of: state.of, item: state.item}));
    if (mine !== turn || JSON.stringify(got.runs) === JSON.stringify(item.runs)) return;
    item = got;
    for (const p of panes) {
      const [run, sample] = p ? p.ref.split(":") : [];
      const now = p && item.runs[Number(run)].rollouts.find((r) => r.sample === Number(sample));
      if (now) p.labels = now.labels;
    }
    draw();
  } catch (e) {
    say(e.message);
  }
}

async function load(mine) {
  const got = await Promise.all([state.a, state.one ? "" : state.b].map(async (r, i) => {
    if (!r) return null;
    const [run, sample] = r.split(":");
    if (panes[i]?.ref === r && panes[i].of === item.split && panes[i].item === item.item) return panes[i];
    return {...await get("rollout", new URLSearchParams({run, of: item.split, item: item.item, sample})), ref: r, of: item.split};
  }));
  if (mine !== turn) return;
  panes = got;
  if (!panes[active]) active = 0;
}

function look(at) {
  const pane = id("main").querySelector(".pane");
  const to = at && pane?.querySelector(`[data-at="${CSS.escape(at)}"]`);
  if (to) (to.querySelector("mark") || to).scrollIntoView({block: "center"});
  else id("main").scrollTop = 0;
}

function draw() {
  const main = id("main"), top = main.scrollTop, typed = typing();
  const pairs = panes[0] && panes[1] ? matched(panes[0].calls, panes[1].calls) : null;
  main.replaceChildren(head(), ...item.runs.map(chips), el("div", {class: panes[1] ? "panes" : "panes one"}, panes.map((p, i) => (p ? pane(p, i, pairs) : ""))));
  main.scrollTop = top;
  typed?.resume();
}

// typing is the note that the person is writing: whatever else changes on the
// page, the words and the place in them stay.
function typing() {
  const was = document.activeElement;
  if (!was?.classList.contains("note")) return null;
  const at = was.closest(".pane").dataset.pane, ref = was.dataset.ref, {value, selectionStart, selectionEnd} = was;
  return {resume() {
    const now = id("main").querySelector(`.pane[data-pane="${at}"] input.note`);
    if (now?.dataset.ref !== ref) return;
    now.value = value;
    now.focus();
    now.setSelectionRange(selectionStart, selectionEnd);
  }};
}

function head() {
  const rows = item.runs.map((r) => r.row), two = rows.length > 1;
  const facts = (r, i) => r && el("ul", {class: "facts"}, two ? el("li", {class: "quiet"}, i ? "new" : "base") : "", [["mean", r.mean], ["σ", r.sd], ["best", r.best], ["gap", r.gap]].map(([k, v]) => el("li", null, k, " ", el("b", null, number(v)))),
    el("li", null, `of ${count(r.scored, "rollout")}${r.scored < r.n ? ` with a score, ${r.n - r.scored} without` : ""}`));
  return el("div", null,
    el("div", {class: "head"}, el("h2", null, item.item), el("span", {class: "quiet"}, [item.split, rows[0]?.family, rows[0]?.category, item.file ? `${item.file}:${item.line}` : ""].filter(Boolean).join(" · "))),
    ...rows.map(facts),
    two && rows[0]?.mean != null && rows[1]?.mean != null ? el("p", null, "Difference of the means ", el("b", {class: "number"}, number(rows[1].mean - rows[0].mean))) : "",
    item.reference ? el("div", {class: "reference"}, el("span", {class: "quiet"}, `${item.field}:`), block(item.reference, "")) : "",
    item.known ? el("details", {open: item.messages.reduce((n, m) => n + (m.text || "").length, 0) < 800}, el("summary", null, "What the model was asked"), item.messages.map((m, i) => message(m, i, ""))) : "");
}

function chips(run, at) {
  if (!run.rollouts.length) return item.runs.length > 1 ? el("p", {class: "quiet"}, `${at ? "New" : "Base"}: no rollout of this item`) : "";
  const name = item.runs.length > 1 ? (at ? "new" : "base") : "rollouts";
  return el("div", {class: "chips", role: "group", "aria-label": `Rollouts${item.runs.length > 1 ? " of the " + name + " run" : ""}, by sample and reward`}, el("span", {class: "quiet"}, `${item.runs.length > 1 ? name + ", sample" : "Sample"}: reward`), run.rollouts.map((r) => {
    const mine = ref(at, r.sample), pressed = (mine === state.a) || (!state.one && mine === state.b);
    const label = r.labels.map((l) => l.mark).filter(Boolean).join(", ");
    return el("button", {type: "button", class: r.wanted ? null : "unwanted", "aria-pressed": pressed ? "true" : "false", "data-ref": mine, onclick: () => put(mine)},
      `${r.sample}: `, r.score === null ? el("span", {class: "failed"}, r.outcome) : number(r.score), label ? [" ", el("span", {class: "tag m-" + r.labels[0].mark}, label)] : "");
  }));
}

function pane(p, i, pairs) {
  const [run, sample] = p.ref.split(":");
  const other = panes[1 - i];
  const box = el("section", {class: i === active ? "pane active" : "pane", "data-pane": i, "aria-label": `Rollout, sample ${sample}${item.runs.length > 1 ? (run === "1" ? " of the new run" : " of the base run") : ""}`},
    el("h3", null, `Sample ${sample}`, item.runs.length > 1 ? (run === "1" ? ", new" : ", base") : "", i === active && panes[1] ? el("span", {class: "quiet"}, " · keys act here") : ""),
    rollout(p, {labels: labelBar(p, i), pairs: pairs && pairs[i], other, redacted: about.redacted, query: state.q}));
  box.addEventListener("focusin", () => frame(i));
  box.addEventListener("pointerdown", () => frame(i));
  return box;
}

// frame says which pane the keys act on.
function frame(i) {
  if (i === active || !panes[i]) return;
  active = i;
  for (const box of id("main").querySelectorAll(".pane")) box.classList.toggle("active", box.dataset.pane === String(i));
  for (const h of id("main").querySelectorAll(".pane > h3 > .quiet")) h.remove();
}

function labelBar(p, i) {
  const mine = p.labels.find((l) => l.rater === about.rater) || {};
  const others = p.labels.filter((l) => l.rater !== about.rater);
  const note = el("input", {type: "text", "aria-label": "Note", placeholder: "note ( e )", maxlength: "8000", class: "note", "data-ref": `${p.split} ${p.item} ${p.ref}`, value: mine.note || ""});
  note.addEventListener("keydown", (e) => {
    if (e.key !== "Enter") return;
    note.blur();
    label(i, mine.mark || "unclear", note.value);
  });
  const can = !about.unlabelled;
  return el("div", null,
    can ? el("div", {class: "labels", role: "group", "aria-label": "Your label"}, about.marks.map((m, k) => el("button", {type: "button", "data-mark": m, "aria-pressed": mine.mark === m ? "true" : "false", onclick: () => label(i, m, note.value)}, m, " ", el("kbd", null, String(k + 1)))), note) : el("p", {class: "quiet"}, about.unlabelled),
    can ? "" : p.labels.map(person), others.length && can ? others.map(person) : "");
}

const person = (l) => el("p", {class: "quiet"}, `${l.rater || "somebody"}: `, l.mark ? el("span", {class: "tag m-" + l.mark}, l.mark) : "", l.score === undefined ? "" : ` ${number(l.score)}`, l.note ? ` ${l.note}` : "");

/** label keeps what the person says of the rollout in a pane. */
export async function label(i, mark, note) {
  const p = panes[i === undefined ? active : i];
  if (!p || about.unlabelled) return;
  if (note === undefined) note = p.labels.find((l) => l.rater === about.rater)?.note || "";
  const [run, sample] = p.ref.split(":");
  try {
    const r = await ask("label", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({run: Number(run), split: p.split, item: p.item, sample: Number(sample), mark, note})});
    const got = await r.json();
    p.labels = got.labels;
    const kept = item.runs[Number(run)].rollouts.find((x) => x.sample === Number(sample));
    if (kept) kept.labels = got.labels;
    draw();
    say(`Sample ${sample} is marked ${mark}`);
    changed();
  } catch (e) {
    say(e.message);
    id("main").querySelectorAll(".pane")[i === undefined ? active : i]?.prepend(el("p", {class: "said", role: "alert"}, e.message));
  }
}

/** mark labels the framed rollout with the mark of that number. */
export const mark = (n) => label(active, about.marks[n]);

/** put shows a rollout in the framed pane. */
export async function put(r) {
  state[active ? "b" : "a"] = r;
  write();
  const mine = ++turn;
  await load(mine);
  if (mine !== turn) return;
  draw();
  id("main").querySelector(`[data-ref="${r}"]`)?.focus();
}

const inOrder = () => item.runs.flatMap((run, at) => run.rollouts.map((r) => ({ref: ref(at, r.sample), labels: r.labels})));

/** next goes to the next rollout of the item, or the one before. */
export function next(by) {
  if (!item) return;
  const all = inOrder(), at = all.findIndex((r) => r.ref === state[active ? "b" : "a"]);
  if (all.length) put(all[(at + by + all.length) % all.length].ref);
}

/** unmarked goes to the next rollout of the item that nobody marked. */
export function unmarked() {
  if (!item) return;
  const all = inOrder(), at = all.findIndex((r) => r.ref === state[active ? "b" : "a"]);
  for (let i = 1; i <= all.length; i++) {
    const r = all[(at + i) % all.length];
    if (!r.labels.length) return put(r.ref);
  }
  say("All rollouts of this item are marked");
}

export function other() {
  if (!panes[1 - active]) return;
  active = 1 - active;
  draw();
  say(`Keys act on sample ${panes[active].ref.split(":")[1]}`);
}

export function best() {
  if (!item) return;
  [state.a, state.b] = bestAndWorst();
  state.one = "";
  active = 0;
  again();
}

export function onePane() {
  if (!item) return;
  state.one = state.one ? "" : "1";
  if (state.one && active) [state.a, state.b, active] = [state.b, state.a, 0];
  again();
}

async function again() {
  write();
  const mine = ++turn;
  await load(mine);
  if (mine === turn) draw();
}

export function note() {
  id("main").querySelectorAll(".pane")[active]?.querySelector("input.note")?.focus();
}
