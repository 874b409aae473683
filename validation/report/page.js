// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Search, filters, addresses and keys of the report. The address keeps the state: "#paper/item" is an item,
// "#?q=words&paper=...&verdict=...&kind=...&effort=...&order=..." a search.
"use strict";
(() => {
  const one = (selector) => document.querySelector(selector);
  const every = (selector) => [...document.querySelectorAll(selector)];
  const root = document.documentElement;
  root.classList.add("scripted");
  const entries = every("details.entry");
  const papers = every("section.paper-list");
  const filters = ["paper", "verdict", "kind", "effort"];
  const names = ["q", ...filters, "order"];
  const field = Object.fromEntries(names.map((name) => [name, document.getElementById(name)]));

  function apply() {
    arrange();
    const terms = field.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const entry of entries) {
      const fits = filters.every((name) => !field[name].value || entry.dataset[name] === field[name].value) &&
        terms.every((term) => entry.dataset.text.includes(term));
      entry.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    for (const paper of papers) {
      const visible = paper.querySelectorAll("details.entry:not([hidden])").length;
      paper.hidden = visible === 0;
      paper.querySelector(".here").textContent = visible;
    }
    one("#shown").textContent = `${shown} of ${entries.length}`;
    one("#none").hidden = shown > 0;
    one("#reset").hidden = names.every((name) => !field[name].value);
    for (const button of every("[data-set-verdict], [data-set-paper]")) {
      const { setVerdict, setPaper } = button.dataset;
      button.setAttribute("aria-pressed", String((setVerdict === undefined || setVerdict === field.verdict.value) &&
        (setPaper === undefined || setPaper === field.paper.value)));
    }
  }

  /** The items of each paper in the chosen order; that of the papers is the one they came in. */
  let ordered = "";
  function arrange() {
    if (field.order.value === ordered) {
      return;
    }
    ordered = field.order.value;
    const key = (entry) => ordered === "tightest" ? -Number(entry.dataset.tight) : entries.indexOf(entry);
    for (const paper of papers) {
      paper.append(...[...paper.querySelectorAll("details.entry")].sort((a, b) => key(a) - key(b)));
    }
  }

  function remember() {
    const state = new URLSearchParams(names.filter((name) => field[name].value).map((name) => [name, field[name].value]));
    const text = String(state);
    history.replaceState(null, "", text ? `#?${text}` : "#");
  }

  function changed() {
    apply();
    remember();
  }

  /** Reads the address: a search, or an item, which is opened and shown. */
  function follow() {
    const hash = decodeURIComponent(location.hash.slice(1));
    if (hash.startsWith("?") || hash === "") {
      const state = new URLSearchParams(location.hash.slice(2));
      names.forEach((name) => { field[name].value = state.get(name) ?? ""; });
      apply();
      return;
    }
    const short = [...document.querySelectorAll("details.entry")].filter((one) => one.id.endsWith(`/${hash}`));
    if (short.length > 1) {
      names.forEach((name) => { field[name].value = name === "q" ? hash : ""; });
      apply();
      return;
    }
    const entry = document.getElementById(hash) ?? short[0];
    if (!entry || !entry.matches("details.entry")) {
      return;
    }
    if (entry.hidden) {
      names.forEach((name) => { field[name].value = ""; });
      apply();
    }
    entry.open = true;
    entry.scrollIntoView({ block: "start" });
    entry.querySelector("summary").focus({ preventScroll: true });
  }

  names.forEach((name) => field[name].addEventListener("input", changed));
  one("#reset").addEventListener("click", () => {
    names.forEach((name) => { field[name].value = ""; });
    changed();
    field.q.focus();
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) {
      return;
    }
    const { setVerdict, setPaper } = button.dataset;
    if (setVerdict !== undefined || setPaper !== undefined) {
      const again = button.getAttribute("aria-pressed") === "true";
      if (setPaper !== undefined) {
        field.paper.value = again ? "" : setPaper;
      }
      if (setVerdict !== undefined) {
        field.verdict.value = again ? "" : setVerdict;
      }
      changed();
      if (!again) {
        one("main").scrollIntoView({ block: "start" });  // what was filtered
      }
    } else if (button.classList.contains("copy")) {
      const text = button.previousElementSibling;
      const done = () => {
        button.textContent = "copied";
        setTimeout(() => { button.textContent = "copy"; }, 1500);
      };
      const select = () => getSelection().selectAllChildren(text);
      if (navigator.clipboard) {
        navigator.clipboard.writeText(text.textContent).then(done, select);
      } else {
        select();
      }
    }
  });

  one("#expand").addEventListener("click", (event) => {
    const open = event.currentTarget.getAttribute("aria-pressed") !== "true";
    event.currentTarget.setAttribute("aria-pressed", String(open));
    event.currentTarget.textContent = open ? "close all" : "open all";
    entries.forEach((entry) => { entry.open = open && !entry.hidden; });
  });
  let before = [];
  addEventListener("beforeprint", () => {
    before = entries.filter((entry) => !entry.open && !entry.hidden);
    before.forEach((entry) => { entry.open = true; });
  });
  addEventListener("afterprint", () => before.forEach((entry) => { entry.open = false; }));

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const kept = (() => { try { return localStorage.getItem("theme"); } catch { return null; } })();
  if (kept === "light" || kept === "dark") {
    root.dataset.theme = kept;
  }
  one("#theme").addEventListener("click", () => {
    const now = root.dataset.theme ?? (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* a page from disk may not remember */ }
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (event.target === field.q && event.key === "Escape") {
      field.q.value = "";
      changed();
      field.q.blur();
    } else if (!event.target.matches("input, select")) {
      if (event.key === "/") {
        event.preventDefault();
        field.q.focus();
        field.q.select();
      } else if (event.key === "j" || event.key === "k") {
        const visible = entries.filter((entry) => !entry.hidden);
        const at = visible.findIndex((entry) => entry.contains(document.activeElement));
        const next = visible[event.key === "j" ? at + 1 : Math.max(0, at - 1)];
        next?.querySelector("summary").focus();
      }
    }
  });

  addEventListener("hashchange", follow);
  follow();
  // The browser's own jump to the address comes with the end of loading and takes the focus away.
  addEventListener("load", () => setTimeout(() => { if (!/^#?(\?|$)/.test(location.hash)) follow(); }));
})();
