// What a model, a tool or a grader wrote reaches the page through text nodes
// alone: nothing here, or elsewhere, makes markup of a string.

/** el makes an element. Attributes that are null are left out; on… are listeners. */
export function el(tag, attrs, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (name === "class") e.className = value;
    else e.setAttribute(name, value === true ? "" : value);
  }
  e.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return e;
}

export const id = (name) => document.getElementById(name);

/** number writes a number in few signs; a dash is what is not known. */
export function number(v) {
  if (v === null || v === undefined) return "–";
  if (Number.isInteger(v)) return String(v);
  const s = Math.abs(v) >= 1e-3 && Math.abs(v) < 1e6 ? v.toFixed(3).replace(/0+$/, "").replace(/\.$/, "") : v.toPrecision(3);
  return s.replace("-", "−");
}

export const count = (n, one, many) => `${n.toLocaleString("en")} ${n === 1 ? one : many || one + "s"}`;

export function seconds(s) {
  if (!s) return "";
  return s < 1 ? `${Math.round(s * 1000)} ms` : s < 120 ? `${s.toFixed(1)} s` : `${(s / 60).toFixed(1)} min`;
}

// lower folds as the search does: rune by rune, none of them longer or shorter.
function lower(text) {
  let out = "";
  for (const c of text) {
    const l = c.toLowerCase();
    out += l.length === c.length ? l : c;
  }
  return out;
}

/** marked cuts a text at the matches of a query. */
export function marked(text, query) {
  if (!query) return [text];
  const folded = lower(text), want = lower(query), out = [];
  let from = 0;
  for (let at = folded.indexOf(want); at >= 0 && out.length < 2000; at = folded.indexOf(want, from)) {
    out.push(text.slice(from, at), el("mark", null, text.slice(at, at + want.length)));
    from = at + want.length;
  }
  out.push(text.slice(from));
  return out;
}

const few = 4000;

/** block shows a text: the beginning of a long one, unless what is looked for stands behind it. */
export function block(text, query, code) {
  const box = el("div", {class: code ? "text code" : "text", dir: "auto"});
  const whole = text.length <= few * 1.2 || (query && lower(text).indexOf(lower(query), few - query.length) >= 0);
  if (whole) {
    box.append(...marked(text, query));
    return box;
  }
  let cut = few;
  if (/[\uD800-\uDBFF]/.test(text[cut - 1])) cut--;
  box.append(...marked(text.slice(0, cut), query), "… ", el("button", {type: "button", onclick: () => box.replaceChildren(...marked(text, query))}, `Show all ${text.length.toLocaleString("en")} characters`));
  return box;
}

const narrow = 100;

/** pretty indents longer JSON without reading its values: numbers, keys and their order stay as they were written. */
export function pretty(source) {
  if (source.length < narrow) return source;
  try {
    const v = JSON.parse(source);
    if (v === null || typeof v !== "object") return source;
  } catch {
    return source;
  }
  let out = "", deep = 0;
  const line = () => "\n" + "  ".repeat(Math.min(deep, 40));
  for (let i = 0; i < source.length; i++) {
    const c = source[i];
    if (c === '"') {
      const from = i;
      for (i++; source[i] !== '"'; i++) if (source[i] === "\\") i++;
      out += source.slice(from, i + 1);
    } else if (c === "{" || c === "[") {
      const empty = /^\s*[}\]]/.exec(source.slice(i + 1, i + 200));
      if (empty) {
        out += c + source[i + empty[0].length];
        i += empty[0].length;
      } else {
        deep++;
        out += c + line();
      }
    } else if (c === "}" || c === "]") {
      deep--;
      out += line() + c;
    } else if (c === ",") out += c + line();
    else if (c === ":") out += ": ";
    else if (!/\s/.test(c)) out += c;
  }
  return out;
}
