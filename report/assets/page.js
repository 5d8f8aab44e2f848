"use strict";
for (const box of document.querySelectorAll("[data-items]")) {
  const step = 200;
  const rows = JSON.parse(box.querySelector("script").textContent);
  const body = box.querySelector("tbody"), heads = [...box.querySelectorAll("th")];
  const input = box.querySelector("input"), count = box.querySelector("output"), more = box.querySelector(".more");
  const words = box.dataset;
  let key = -1, down = false, limit = step;
  const number = (x) => String(x).replace(/^(-?\d{4,})/, (d) => d.replace(/\B(?=(\d{3})+$)/g, ","));
  const compare = (a, b) => {
    const x = a[key], y = b[key];
    if (x === y) return 0;
    if (x === null || x === "") return 1;
    if (y === null || y === "") return -1;
    const c = typeof x === "string" ? x.localeCompare(y, undefined, { numeric: true }) : x - y;
    return down ? -c : c;
  };
  const show = () => {
    const q = input.value.trim().toLowerCase();
    let list = q ? rows.filter((r) => r[0].toLowerCase().includes(q) || r[1] === q) : rows;
    if (key >= 0) list = [...list].sort(compare);
    body.replaceChildren(...list.slice(0, limit).map((r) => {
      const tr = document.createElement("tr");
      r.forEach((v, i) => {
        const td = document.createElement("td");
        td.textContent = v === null ? "" : typeof v === "number" ? number(v) : v;
        if (i === 1) td.className = "c-" + v;
        tr.append(td);
      });
      return tr;
    }));
    const shown = Math.min(limit, list.length);
    count.textContent = shown === rows.length ? words.all : words.some.replace("%s", number(shown)).replace("%s", number(list.length));
    more.classList.toggle("hidden", shown >= list.length);
  };
  heads.forEach((th, i) => th.querySelector("button").addEventListener("click", () => {
    down = key === i ? !down : i > 1;
    key = i;
    heads.forEach((h) => h.removeAttribute("aria-sort"));
    th.setAttribute("aria-sort", down ? "descending" : "ascending");
    show();
  }));
  input.addEventListener("input", () => { limit = step; show(); });
  more.addEventListener("click", () => { limit += 5 * step; show(); });
  box.querySelectorAll(".js").forEach((e) => e.classList.remove("hidden"));
  show();
}
