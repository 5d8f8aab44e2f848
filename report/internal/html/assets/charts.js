
// Pictures answer to the pointer and to the arrow keys: what stands there is
// found in the picture's own table, or in the item table.
const tip = make("div", undefined, "tip hidden");
tip.setAttribute("aria-hidden", "true");
document.body.append(tip);

const readable = (figure) => {
  const script = figure.querySelector("script");
  if (!script) return;
  const spots = JSON.parse(script.textContent), [left, top, right, bottom] = spots.axes;
  const items = spots.items && tables.get(figure.dataset.split), listed = spots.filter && tables.get(figure.dataset.split);
  if (spots.items && !items) return;
  const heads = items ? said.Columns : [...figure.querySelectorAll("details.numbers thead tr > *")].map((e) => e.textContent);
  const cells = items ? null : [...figure.querySelectorAll("details.numbers tbody tr")].map((tr) => [...tr.cells].map((td) => td.textContent));
  const n = items ? items.rows.filter((r) => r[3] !== "").length : cells.length;
  if (!n) return;
  const plot = figure.querySelector(".plot"), area = make("div", undefined, "area"), place = make("div", undefined, "place hidden");
  const dots = [];
  let now = -1;

  const value = (i) => Number(items.rows[i][3].replaceAll(",", ""));
  const spot = (i) => {
    if (!items) return spots.places[i];
    const [first, step, low, high] = spots.items, x = first + i * step;
    return [x, top, x + step, bottom, x + step / 2, bottom - (bottom - top) * (value(i) - low) / (high - low)];
  };
  const told = (i) => {
    const row = items ? items.rows[i] : cells[i];
    const list = row.map((c, k) => [heads[k], c]).slice(1).filter((c) => c[1] !== "");
    if (!items) return list;
    const trace = items.traces && items.traces[i], sigma = Number(row[4].replaceAll(",", "")), [lo, hi] = spots.range;
    if (sigma > 0) {
      const end = (x) => String(Number(Math.max(lo, Math.min(hi, x)).toPrecision(3)));
      list.push([said.Spread, end(value(i) - sigma) + " – " + end(value(i) + sigma)]);
    }
    if (trace && trace[1]) list.push([said.Rewards, trace[1].split(" ").slice(0, 32).join("  ") + (trace[1].split(" ").length > 32 ? " …" : "")]);
    if (spots.each > 1) list.push(["", said.Together.replace("%s", spots.each)]);
    return list;
  };
  const name = (i) => (items ? items.rows[i][0] : heads[0] + " " + cells[i][0]);

  // find is the row at a point in percent, -1 for none: columns by halving.
  const find = (x, y) => {
    if (x < left || x > right || y < top - 3 || y > bottom + 3) return -1;
    if (items) return Math.max(0, Math.min(n - 1, Math.floor((x - spots.items[0]) / spots.items[1])));
    if (!spots.columns) return spots.places.findIndex((p) => y >= p[1] && y <= p[3] && (p.length > 4 || x >= p[0] && x <= p[2]));
    let lo = 0, hi = n - 1;
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (spots.places[mid][0] <= x) lo = mid; else hi = mid - 1;
    }
    return lo;
  };
  const open = (i) => {
    if (i < 0 || !items && !listed) return;
    hide();
    if (items) items.go(i); else listed.find(cells[i][0]);
  };
  const hide = () => {
    now = -1;
    tip.classList.add("hidden");
    place.classList.add("hidden");
    dots.forEach((d) => d.classList.add("hidden"));
  };
  const show = (i, at) => {
    if (i < 0) return hide();
    const p = spot(i), box = plot.getBoundingClientRect();
    if (i !== now) {
      now = i;
      const column = spots.columns || p.length > 4;
      place.style.left = (spots.columns ? p[0] : column ? left : p[0]) + "%";
      place.style.width = Math.max(0.15, spots.columns ? p[2] - p[0] : column ? right - left : p[2] - p[0]) + "%";
      place.style.top = (spots.columns ? top : p[1]) + "%";
      place.style.height = (spots.columns ? bottom - top : p[3] - p[1]) + "%";
      place.classList.remove("hidden");
      for (let k = 4, d = 0; k < p.length || d < dots.length; k += 2, d++) {
        if (!dots[d]) { dots[d] = make("div", undefined, "dot"); plot.append(dots[d]); }
        dots[d].classList.toggle("hidden", k >= p.length);
        if (k < p.length) { dots[d].style.left = p[k] + "%"; dots[d].style.top = p[k + 1] + "%"; }
      }
      const list = make("dl");
      told(i).forEach(([h, c]) => list.append(make("dt", h), make("dd", c)));
      tip.replaceChildren(make("b", name(i)), list);
      if (items) tip.append(make("p", said.Hint));
      area.setAttribute("aria-valuenow", i + 1);
      area.setAttribute("aria-valuetext", name(i) + said.Colon + said.Space + told(i).map((c) => c.join(" ").trim()).join(said.Comma));
    }
    tip.classList.remove("hidden");
    const x = at ? at[0] : box.left + box.width * (p[4] ?? (p[0] + p[2]) / 2) / 100;
    const y = at ? at[1] : box.top + box.height * (p[5] ?? p[1]) / 100;
    const w = tip.offsetWidth, h = tip.offsetHeight;
    tip.style.left = Math.max(4, x + 16 + w > innerWidth ? x - 16 - w : x + 16) + "px";
    tip.style.top = Math.max(4, Math.min(innerHeight - h - 4, y - h / 2)) + "px";
  };
  const under = (e) => {
    const box = plot.getBoundingClientRect();
    return find(100 * (e.clientX - box.left) / box.width, 100 * (e.clientY - box.top) / box.height);
  };
  area.tabIndex = 0;
  area.setAttribute("role", "slider");
  area.setAttribute("aria-label", figure.querySelector("h3").textContent + said.Stop + said.Space + said.Read);
  area.setAttribute("aria-valuemin", 1);
  area.setAttribute("aria-valuemax", n);
  area.setAttribute("aria-valuenow", 1);
  area.setAttribute("aria-valuetext", name(0));
  for (const kind of ["pointermove", "pointerdown"]) area.addEventListener(kind, (e) => show(under(e), [e.clientX, e.clientY]));
  area.addEventListener("pointerleave", hide);
  area.addEventListener("blur", hide);
  area.addEventListener("focus", () => { if (area.matches(":focus-visible")) show(Math.max(0, now)); });
  area.addEventListener("click", (e) => open(under(e)));
  area.addEventListener("keydown", (e) => {
    const page = Math.max(1, Math.round(n / 10)), from = now < 0 ? Number(area.getAttribute("aria-valuenow")) - 1 : now;
    const to = { ArrowRight: from + 1, ArrowDown: from + 1, ArrowLeft: from - 1, ArrowUp: from - 1, PageDown: from + page, PageUp: from - page, Home: 0, End: n - 1 }[e.key];
    if (to !== undefined) {
      e.preventDefault();
      show(Math.max(0, Math.min(n - 1, to)));
    } else if (e.key === "Escape") {
      hide();
    } else if (e.key === "Enter" && (items || listed)) {
      e.preventDefault();
      open(from);
    }
  });
  plot.append(place, area);
};
document.querySelectorAll("figure").forEach(readable);
addEventListener("scroll", () => tip.classList.add("hidden"), { passive: true });
