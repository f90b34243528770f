// Sorts and filters the tables, and colours the marks of the rows in sight.
// Text only ever becomes text: nothing here makes markup of it.
"use strict";
(() => {
  const rows = [...document.getElementById("table").tBodies[0].rows];
  const byName = document.getElementById("by-name");
  const byExercise = document.getElementById("by-exercise");
  const byStatus = document.getElementById("by-status");
  const shown = document.querySelector(".shown");
  const titles = [...byExercise.options].slice(1).map((option) => option.text);
  const statuses = new Map([...byStatus.options].slice(1).map((option) => [option.value, option]));

  // --- sorting ----------------------------------------------------------------------------------------------------
  const letters = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const valueOf = (cell) => cell.dataset.value ?? cell.textContent.trim();
  const isNothing = (key) => key === "" || Number.isNaN(key);

  function sort(table, column, kind, sign) {
    const keyed = [...table.tBodies[0].rows].map((row) => {
      const value = valueOf(row.cells[column]);
      return [kind === "number" ? Number.parseFloat(value) : value, row];
    });
    keyed.sort(([left], [right]) => {
      if (isNothing(left) || isNothing(right)) return isNothing(left) - isNothing(right);
      return sign * (kind === "number" ? left - right : letters.compare(left, right));
    });
    table.tBodies[0].append(...keyed.map(([, row]) => row));
  }

  for (const head of document.querySelectorAll("th[data-sort]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const last = head.getAttribute("aria-sort");
      const next = last ? (last === "ascending" ? "descending" : "ascending") : head.dataset.first;
      for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", next);
      sort(head.closest("table"), head.cellIndex, head.dataset.sort, next === "ascending" ? 1 : -1);
    });
  }

  // --- filtering --------------------------------------------------------------------------------------------------
  const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase();
  const names = rows.map((row) => folded(row.querySelector(".who").textContent));
  const strips = rows.map((row) => row.querySelector(".marks > span"));
  const units = strips.map((strip) => strip.textContent.split(" "));
  const signs = units.map((unit) => unit.join(""));

  function filter() {
    const name = folded(byName.value.trim());
    const exercise = byExercise.value;
    rows.forEach((row, place) => {
      const here = exercise === "" ? signs[place] : signs[place][Number(exercise)];
      row.hidden = !(names[place].includes(name) && here.includes(byStatus.value));
    });
    shown.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} shown`;
  }

  for (const control of [byName, byExercise, byStatus]) control.addEventListener("input", filter);
  document.querySelector(".filter").hidden = false;
  filter();

  // --- marks ------------------------------------------------------------------------------------------------------
  // A thousand rows of forty marks are too many elements: a row gets its own when it comes into sight.
  function paint(place) {
    const told = [...signs[place]].map((sign, at) => `${titles[at]}: ${statuses.get(sign)?.text ?? "not in this record"}`);
    const marks = [...signs[place]].map((sign, at) => {
      const mark = document.createElement("i");
      mark.className = statuses.get(sign)?.dataset.class ?? "";
      mark.textContent = sign;
      mark.title = told[at];
      return mark;
    });
    let end = 0;
    for (const unit of units[place].slice(0, -1)) marks[(end += unit.length)].classList.add("gap");
    strips[place].setAttribute("role", "img");
    strips[place].setAttribute("aria-label", told.join("; "));
    strips[place].replaceChildren(...marks);
  }

  const places = new Map(rows.map((row, place) => [row, place]));
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const entry of entries.filter((entry) => entry.isIntersecting)) {
        watcher.unobserve(entry.target);
        paint(places.get(entry.target));
      }
    },
    { rootMargin: "300px" },
  );
  for (const row of rows) watcher.observe(row);
})();
