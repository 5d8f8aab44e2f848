
// The item tables, by split.
const tables = new Map();

const itemTable = (box) => {
  const step = 200;
  const data = JSON.parse(box.querySelector("script").textContent);
  const rows = data.rows.map((r) => r.split("\t")), order = rows.map((_, i) => i);
  const body = box.querySelector("tbody"), heads = [...box.querySelectorAll("th")];
  const input = box.querySelector("input"), pick = box.querySelector("select");
  const count = box.querySelector("output"), more = box.querySelector(".more");
  const link = box.querySelector("a.traces");
  const wordy = heads.map((h, k) => k < 2 || h.dataset.words !== undefined), flat = box.dataset.flat !== undefined;
  const text = rows.map((r) => r.filter((_, k) => wordy[k]).join(" ").toLowerCase());
  const number = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  const words = new Intl.Collator(undefined, { numeric: true });
  let key = -1, down = false, list = order, shown = 0;

  // Numbers come as they are shown; "" is none, and none stands last.
  const sorted = () => {
    if (key < 0) return;
    const value = wordy[key] ? rows.map((r) => r[key]) : rows.map((r) => (r[key] === "" ? null : Number(r[key].replaceAll(",", ""))));
    const none = (x) => x === "" || x === null;
    order.sort((a, b) => {
      const x = value[a], y = value[b];
      if (none(x) || none(y)) return none(x) - none(y) || a - b;
      const c = wordy[key] ? words.compare(x, y) : x - y;
      return (down ? -c : c) || a - b;
    });
  };
  const rollouts = (i) => {
    const td = make("td", undefined, "rollouts");
    td.colSpan = heads.length;
    td.tabIndex = -1;
    const trace = data.traces && data.traces[i];
    if (!trace || !trace[0]) {
      td.append(make("p", data.traces ? said.Beyond.replace("%s", "0") : said.NoTrace, "note"));
      return td;
    }
    const [samples, rewards, calls, lines] = trace.slice(0, 4).map((s) => s.split(" "));
    const table = make("table"), head = make("thead"), top = make("tr"), rest = make("tbody");
    said.Rollouts.forEach((h) => { const th = make("th", h); th.scope = "col"; top.append(th); });
    head.append(top);
    samples.forEach((s, k) => {
      const tr = make("tr");
      [s, rewards[k] === "-" ? "" : rewards[k], said.Outcomes[trace[4][k]], calls[k], lines[k] === "0" ? "" : lines[k]].forEach((c) => tr.append(make("td", c)));
      rest.append(tr);
    });
    table.append(head, rest);
    td.append(table);
    if (trace[5]) td.append(make("p", said.Beyond.replace("%s", trace[5]), "note"));
    if (box.dataset.file && lines[0] !== "0") {
      const p = make("p", said.Show + said.Space);
      p.append(make("code", "sed -n '" + lines.map((l) => l + "p").join(";") + "' " + box.dataset.file, "command"));
      if (link) {
        const a = make("a", "rollouts.jsonl");
        a.href = link.getAttribute("href");
        p.append(" ", a);
      }
      td.append(p);
    }
    return td;
  };
  const toggle = (tr, i) => {
    const button = tr.querySelector("button"), open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", open);
    if (!open) {
      tr.nextElementSibling.remove();
      return;
    }
    const under = make("tr");
    under.append(rollouts(i));
    tr.after(under);
  };
  const line = (i) => {
    const tr = make("tr");
    rows[i].forEach((v, k) => {
      const td = make("td");
      if (k === 0 && !flat) {
        const b = make("button", v, "item");
        b.type = "button";
        b.setAttribute("aria-expanded", "false");
        td.append(b);
      } else {
        td.textContent = v;
        if (k === 1) td.className = "c-" + (said.Kinds[v] ?? v);
        else if (wordy[k]) td.className = "text";
      }
      tr.append(td);
    });
    tr.dataset.row = i;
    return tr;
  };
  const extend = (by) => {
    body.append(...list.slice(shown, shown + by).map(line));
    shown = Math.min(list.length, shown + by);
    count.textContent = shown === rows.length ? box.dataset.all : box.dataset.some.replace("%s", number(shown)).replace("%s", number(list.length));
    more.classList.toggle("hidden", shown >= list.length);
    box.classList.toggle("long", shown > 50);
  };
  const show = () => {
    const terms = input.value.toLowerCase().split(/\s+/).filter(Boolean), only = pick ? pick.value : "";
    list = terms.length || only ? order.filter((i) => (!only || rows[i][1] === only) && terms.every((q) => text[i].includes(q))) : order;
    body.replaceChildren();
    shown = 0;
    extend(step);
    if (!list.length) {
      const tr = make("tr"), td = make("td", said.NoMatch);
      td.colSpan = heads.length;
      tr.append(td);
      body.append(tr);
    }
  };
  body.addEventListener("click", (e) => {
    const button = e.target.closest("button.item");
    if (button) toggle(button.closest("tr"), Number(button.closest("tr").dataset.row));
  });
  heads.forEach((th, i) => th.querySelector("button").addEventListener("click", () => {
    down = key === i ? !down : !wordy[i];
    key = i;
    heads.forEach((h) => h.removeAttribute("aria-sort"));
    th.setAttribute("aria-sort", down ? "descending" : "ascending");
    sorted();
    show();
  }));
  input.addEventListener("input", show);
  if (pick) pick.addEventListener("change", show);
  more.addEventListener("click", () => extend(5 * step));
  unhide(box);
  show();

  // go shows one row, its rollouts open, whatever was filtered before.
  const go = (i) => {
    reveal(box);
    input.value = "";
    if (pick) pick.value = "";
    show();
    const at = list.indexOf(i);
    if (at >= shown) extend(at + 1 - shown);
    const tr = body.querySelector('tr[data-row="' + i + '"]'), button = tr.querySelector("button");
    if (button.getAttribute("aria-expanded") !== "true") toggle(tr, i);
    // Not the button: the key that led here would press it as well.
    tr.nextElementSibling.firstChild.focus({ preventScroll: true });
    tr.scrollIntoView({ block: "center" });
  };
  // find shows the rows that hold a text.
  const find = (text) => {
    reveal(box);
    input.value = text;
    if (pick) pick.value = "";
    show();
    input.focus({ preventScroll: true });
    input.scrollIntoView({ block: "center" });
  };
  return { rows, traces: data.traces, go, find };
};
for (const box of document.querySelectorAll("[data-items]")) {
  if (box.querySelector("script")) tables.set(box.dataset.items, itemTable(box));
}
document.addEventListener("click", (e) => {
  const a = e.target.closest("a[data-row]");
  if (!a || !tables.has(a.dataset.split)) return;
  e.preventDefault();
  tables.get(a.dataset.split).go(Number(a.dataset.row));
});
