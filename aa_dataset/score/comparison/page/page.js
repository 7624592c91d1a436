"use strict";
// Sorts the rows of every body of a table by one column; entries without a number come last.
for (const button of document.querySelectorAll("thead th button")) {
  button.addEventListener("click", () => {
    const head = button.closest("th");
    const table = head.closest("table");
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.querySelectorAll("th[aria-sort]")) {
      other.setAttribute("aria-sort", "none");
    }
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const place = Number(button.dataset.column);
    for (const body of table.tBodies) {
      const rows = [...body.rows].filter((row) => row.cells.length > 1);
      const keyed = rows.map((row) => {
        const cell = row.cells[place];
        const text = cell.dataset.value;
        return { row, number: text === undefined ? NaN : Number(text), text: cell.textContent };
      });
      keyed.sort((a, b) => {
        const lacks = Number(Number.isNaN(a.number)) - Number(Number.isNaN(b.number));
        if (lacks) return lacks;
        const order = Number.isNaN(a.number)
          ? (a.text < b.text ? -1 : Number(a.text > b.text))
          : a.number - b.number;
        return down ? -order : order;
      });
      for (const { row } of keyed) body.append(row);
    }
    const status = document.getElementById("sorted");
    status.textContent = `Sorted by ${button.textContent.trim()}, ${down ? "descending" : "ascending"}.`;
  });
}
