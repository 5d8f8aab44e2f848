import {block, count, el, number, pretty, seconds} from "./dom.js";

/**
 * rollout shows one rollout from its beginning to its grade. pairs holds, for
 * each call, the call of the other pane that it matches, or -1; null where there
 * is nothing to compare. other is the rollout there.
 */
export function rollout(r, look) {
  return [summary(r), look.labels, sequence(r, look), timeline(r, look), grader(r, look.query)];
}

function summary(r) {
  const u = r.usage, fact = (label, v) => (v === "" || v === undefined || v === null ? null : el("li", null, label, " ", el("b", null, v)));
  return el("div", null,
    el("div", {class: "head"}, el("span", {class: "reward"}, number(r.score)), el("span", {class: "tag o-" + r.outcome}, r.outcome),
      r.targeted ? el("span", {class: "quiet"}, "counts only for the item's class") : ""),
    r.zeroed ? el("p", {class: "said"}, `A detector marked it: it counts at the bottom of the range. The grader gave ${number(r.reward)}.`) : "",
    r.score === null ? el("p", {class: "quiet"}, "No grade: it is left out of every mean.") : "",
    r.error ? el("div", {class: "said", "data-at": "e", tabindex: "-1"}, r.error_kind ? `${r.error_kind}: ` : "", r.error) : "",
    (r.leaks || []).map((l) => el("p", {class: "said"}, `It found data left by another rollout: ${l.at} showed `, el("code", null, l.canary), ".")),
    el("ul", {class: "facts"}, fact("turns", r.turns), fact("calls", r.calls.length), fact("failed calls", r.failed || ""), fact("tokens in", u.input_tokens?.toLocaleString("en")), fact("out", u.output_tokens?.toLocaleString("en")),
      fact("of them reasoning", u.reasoning_tokens?.toLocaleString("en")), fact("took", seconds(r.elapsed_s)), fact("retries", r.retries || ""), fact("attempt", r.attempt || ""), fact("line", r.line)));
}

function sequence(r, look) {
  if (!r.calls.length) return el("p", {class: "quiet"}, "No tool was called.");
  const marks = new Set();
  const all = r.calls.map((c, i) => {
    const to = look.pairs ? look.pairs[i] : null;
    const only = to === -1, differs = to !== null && to >= 0 && look.other.calls[to].arguments !== c.arguments;
    if (only) marks.add("+ only in this rollout");
    if (differs) marks.add("dashed: the same tool with other arguments");
    const says = only ? "only here" : differs ? "other arguments there" : "";
    return el("li", null, el("button", {type: "button", class: only ? "only" : differs ? "other" : null, title: says || null, "aria-label": `${c.name}, call ${i + 1}${says && ", " + says}${c.status === "ok" ? "" : ", " + c.status}`, onclick: (e) => toCall(e, i)},
      only ? el("span", {"aria-hidden": "true"}, "+ ") : "", c.name, c.status === "ok" ? "" : el("span", {class: "failed", "aria-hidden": "true"}, " ✕")));
  });
  return el("div", null, el("ol", {class: "sequence", "aria-label": "Tool calls in order"}, all),
    marks.size ? el("p", {class: "legend"}, [...marks].join("; ")) : look.pairs ? el("p", {class: "legend"}, look.redacted ? "the same tools as in the other rollout, in the same order" : "the same calls as in the other rollout") : look.other ? el("p", {class: "legend"}, "The sequences are too long to be compared.") : "");
}

function toCall(e, i) {
  const to = e.target.closest(".pane").querySelector(`[data-at="c${i}"]`);
  to?.scrollIntoView({block: "center"});
  to?.focus({preventScroll: true});
}

function timeline(r, look) {
  const out = [], shown = new Set();
  const say = (i) => {
    if (!shown.has(i)) out.push(call(r.calls[i], i, look.query));
    shown.add(i);
  };
  r.messages.forEach((m, i) => {
    if (m.answers >= 0 && shown.has(m.answers)) {
      const c = r.calls[m.answers];
      if (m.text === c.output && !m.other) return;
      if (m.text && !c.output && m.text === c.error) return;
    }
    out.push(message(m, i, look.query));
    for (const a of m.asks || []) {
      if (a.call >= 0) say(a.call);
      else out.push(el("div", {class: "step call"}, el("div", {class: "who"}, el("b", null, a.name), "asked for; its call was not recorded"), a.arguments ? block(pretty(a.arguments), look.query, true) : ""));
    }
  });
  r.calls.forEach((_, i) => say(i));
  const last = r.messages[r.messages.length - 1];
  if (r.answer && (!last || last.text !== r.answer)) out.push(el("div", {class: "step answer", "data-at": "a", tabindex: "-1"}, el("div", {class: "who"}, el("b", null, "answer")), block(r.answer, look.query)));
  return el("div", null, out.length ? out : el("p", {class: "quiet"}, "No messages were recorded."));
}

/** message shows one message. */
export function message(m, i, query) {
  const empty = !m.text && !m.other && !m.refusal && !m.reasoning;
  if (empty && (m.asks || []).length) return "";
  return el("div", {class: `step r-${/^\w+$/.test(m.role) ? m.role : "other"}`, "data-at": "m" + i, tabindex: "-1"},
    el("div", {class: "who"}, el("b", null, m.role), m.name || ""),
    m.reasoning ? el("details", {class: "reasoning", open: m.reasoning.length < 1500 || Boolean(query)}, el("summary", null, "reasoning"), block(m.reasoning, query)) : "",
    m.text ? block(m.text, query, m.role === "tool") : "",
    m.refusal ? el("div", {class: "said"}, "refusal: ", m.refusal) : "",
    m.other ? el("details", null, el("summary", null, "parts that are not text"), block(m.other, query, true)) : "",
    empty ? el("span", {class: "quiet"}, "empty") : "");
}

function call(c, i, query) {
  const size = c.cut ? `, cut from ${c.output_bytes.toLocaleString("en")} bytes` : "";
  return el("div", {class: c.status === "ok" ? "step call" : "step call bad", "data-at": "c" + i, tabindex: "-1"},
    el("div", {class: "who"}, el("b", null, c.name), el("span", {class: "tag " + (c.status === "ok" ? "s-ok" : "s-bad")}, c.status), el("span", null, [`call ${i + 1}`, c.elapsed_s ? `at ${seconds(c.offset_s) || "0 s"}, took ${seconds(c.elapsed_s)}` : "", c.http_status && c.http_status !== 200 ? `HTTP ${c.http_status}` : "", c.retries ? count(c.retries, "retry", "retries") : ""].filter(Boolean).join(" · "))),
    c.arguments ? block(pretty(c.arguments), query, true) : el("span", {class: "quiet"}, "no arguments"),
    c.error ? el("div", {class: "said"}, c.error) : "",
    c.output ? el("details", {open: c.output.length < 1500 || Boolean(query)}, el("summary", null, `output, ${count(c.output_chars, "character")}${size}`), block(pretty(c.output), query, true)) : el("p", {class: "quiet"}, "no output"));
}

function table(values) {
  return el("table", null, el("tbody", null, values.map(([k, v]) => el("tr", null, el("th", {scope: "row"}, k), el("td", null, v)))));
}

function grader(r, query) {
  const out = [];
  if (r.reward !== null || Object.keys(r.parts || {}).length) out.push(table([["reward", number(r.reward) + (r.clipped ? " (clipped to its range)" : "")], ...Object.entries(r.parts || {}).map(([k, v]) => [k, number(v)])]));
  if ((r.grades || []).length > 1) out.push(el("p", null, "The same output, graded again: ", r.grades.map(number).join(", ")));
  for (const e of r.earlier || []) out.push(el("p", null, `Before, by ${e.grader}: ${e.outcome}, ${number(e.reward)} `, e.error || ""));
  if (r.judge.output_tokens || r.judge.input_tokens) out.push(el("p", {class: "quiet"}, `The judge took ${number(r.judge.input_tokens)} tokens and gave ${number(r.judge.output_tokens)}.`));
  if ((r.extra || []).length) out.push(el("div", {"data-at": "x", tabindex: "-1"}, r.extra.map((x) => el("details", {open: x.text.length < 600 || Boolean(query)}, el("summary", null, x.key), block(pretty(x.text), query)))));
  return out.length ? el("div", {class: "step answer"}, el("div", {class: "who"}, el("b", null, "grader")), out) : "";
}
