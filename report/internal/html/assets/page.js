"use strict";
const said = JSON.parse(document.getElementById("said").textContent);
const make = (name, text, className) => {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  return e;
};
const unhide = (root) => root.querySelectorAll(".js").forEach((e) => e.classList.remove("hidden"));

// Findings: one button opens or closes them all, and paper has them open.
const findings = [...document.querySelectorAll("details.finding")];
const everything = document.querySelector(".all");
if (everything) {
  const word = () => { everything.textContent = findings.every((f) => f.open) ? said.CloseAll : said.OpenAll; };
  everything.addEventListener("click", () => {
    const open = !findings.every((f) => f.open);
    findings.forEach((f) => { f.open = open; });
    word();
  });
  findings.forEach((f) => f.addEventListener("toggle", word));
  everything.classList.remove("hidden");
  word();
}
const folds = [...document.querySelectorAll("details.finding, details.part, details.skipped")];
let opened = [];
addEventListener("beforeprint", () => {
  opened = folds.filter((f) => !f.open);
  opened.forEach((f) => { f.open = true; });
});
addEventListener("afterprint", () => opened.forEach((f) => { f.open = false; }));

// A box that has nothing to scroll is no stop for the keyboard.
const boxes = new ResizeObserver((list) => list.forEach(({ target: e }) => {
  if (e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight) e.tabIndex = 0;
  else e.removeAttribute("tabindex");
}));
document.querySelectorAll(".scroll").forEach((e) => boxes.observe(e));

// A way into what is folded opens the folds around it.
const reveal = (e) => { for (let d = e && e.closest("details"); d; d = d.parentElement.closest("details")) d.open = true; };
document.addEventListener("click", (e) => {
  const a = e.target.closest('a[href^="#"]');
  if (a) reveal(document.getElementById(a.hash.slice(1)));
});
if (location.hash) {
  try { reveal(document.getElementById(decodeURIComponent(location.hash.slice(1)))); } catch { /* no name of ours */ }
}
