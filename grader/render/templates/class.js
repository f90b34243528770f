// Sorts and filters the tables, paints the marks of the rows in sight, and names learners who are told by number.
// Text only ever becomes text: nothing here makes markup of it.
"use strict";
(() => {
  const learners = document.getElementById("table");
  const rows = [...learners.tBodies[0].rows];
  const strips = rows.map((row) => row.querySelector(".marks > span"));
  const told = strips.map((strip) => strip.textContent);
  const places = new Map(rows.map((row, place) => [row, place]));
  const numbered = new Map(rows.map((row) => [Number(row.cells[0].textContent), row]));
  const byExercise = document.getElementById("by-exercise");
  const byStatus = document.getElementById("by-status");
  const titles = [...byExercise.options].slice(1).map((option) => option.text);
  const words = new Map([...byStatus.options].slice(1).map((option) => [option.value, option]));
  const wordFor = (sign) => words.get(sign)?.text ?? "not in this record";

  // --- roles ------------------------------------------------------------------------------------------------------
  // These tables are laid out as grids, and some browsers then forget that they are tables.
  for (const table of document.querySelectorAll("table.light")) {
    table.setAttribute("role", "table");
    for (const group of [table.tHead, table.tBodies[0]]) group.setAttribute("role", "rowgroup");
    for (const row of table.rows) {
      row.setAttribute("role", "row");
      for (const cell of row.cells) {
        cell.setAttribute("role", cell.scope === "col" ? "columnheader" : cell.scope === "row" ? "rowheader" : "cell");
      }
    }
  }

  // --- sorting ----------------------------------------------------------------------------------------------------
  const letters = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const valueOf = (cell) => cell.dataset.value ?? cell.textContent.trim();

  function sort(table, column, kind, isAscending) {
    const body = table.tBodies[0];
    const sign = isAscending ? 1 : -1;
    const keyed = [...body.rows].map((row) => {
      const value = valueOf(row.cells[column]);
      return [kind === "number" ? Number.parseFloat(value) : value, row];
    });
    const isNothing = (key) => key === "" || Number.isNaN(key);
    keyed.sort(([left], [right]) => {
      if (isNothing(left) || isNothing(right)) return isNothing(left) - isNothing(right);
      return sign * (kind === "number" ? left - right : letters.compare(left, right));
    });
    const sorted = document.createDocumentFragment();
    for (const [, row] of keyed) sorted.append(row);
    body.append(sorted);
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (!head.dataset.sort) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const last = head.getAttribute("aria-sort");
        const next = last ? (last === "ascending" ? "descending" : "ascending") : head.dataset.first;
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", next);
        sort(table, column, head.dataset.sort, next === "ascending");
      });
    });
  }

  // --- filtering --------------------------------------------------------------------------------------------------
  const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase();
  const names = rows.map((row) => folded(row.querySelector(".who").textContent));
  const signs = told.map((text) => text.replaceAll(" ", ""));
  const byName = document.getElementById("by-name");
  const shown = document.querySelector(".shown");

  function filter() {
    const name = folded(byName.value.trim());
    const exercise = byExercise.value;
    const status = byStatus.value;
    let count = 0;
    rows.forEach((row, place) => {
      const here = exercise === "" ? signs[place] : signs[place][Number(exercise)];
      const isIn = names[place].includes(name) && here.includes(status);
      row.hidden = !isIn;
      count += isIn;
    });
    shown.textContent = `${count} of ${rows.length} shown`;
  }

  for (const control of [byName, byExercise, byStatus]) control.addEventListener("input", filter);
  document.querySelector(".filter").hidden = false;
  filter();

  // --- marks ------------------------------------------------------------------------------------------------------
  // A thousand rows of forty marks are too many elements: a row gets its own when it comes into sight.
  function paint(row) {
    const place = places.get(row);
    const marks = document.createDocumentFragment();
    let isAfterGap = false;
    for (const sign of told[place]) {
      if (sign === " ") {
        isAfterGap = true;
        continue;
      }
      const mark = document.createElement("i");
      mark.className = `${words.get(sign)?.dataset.class ?? ""}${isAfterGap ? " gap" : ""}`;
      mark.textContent = sign;
      marks.append(mark);
      isAfterGap = false;
    }
    const strip = strips[place];
    strip.setAttribute("role", "img");
    strip.setAttribute("aria-label", [...signs[place]].map((sign, at) => `${titles[at]}: ${wordFor(sign)}`).join("; "));
    strip.replaceChildren(marks);
  }

  const watcher = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        watcher.unobserve(entry.target);
        paint(entry.target);
      }
    },
    { rootMargin: "300px" },
  );
  rows.forEach((row) => watcher.observe(row));

  learners.addEventListener("mouseover", ({ target }) => {
    if (target.tagName !== "I" || target.title || !target.closest("tbody")) return;
    const at = [...target.parentElement.children].indexOf(target);
    target.title = `${titles[at]}: ${wordFor(target.textContent)}`;
  });

  // --- learners told by number ------------------------------------------------------------------------------------
  function* spelledOut(ranges) {
    for (const range of ranges.split(", ")) {
      const [first, last = first] = range.split("-").map(Number);
      for (let number = first; number <= last; number += 1) yield number;
    }
  }

  function nameTheRest(rest) {
    const named = document.createDocumentFragment();
    for (const number of spelledOut(rest.querySelector(".numbers").textContent)) {
      const name = numbered.get(number)?.querySelector(".who").firstElementChild.cloneNode(true);
      named.append(", ", name ?? `no. ${number}`); // a very large class is not listed in full
    }
    const list = rest.parentElement; // long enough to scroll, so that the keyboard must be able to get there
    list.tabIndex = 0;
    list.setAttribute("role", "group");
    list.setAttribute("aria-label", "Learners");
    rest.replaceWith(named);
  }

  for (const list of document.querySelectorAll(".who-list")) {
    list.addEventListener("toggle", () => list.querySelectorAll(".rest").forEach(nameTheRest));
  }
})();
