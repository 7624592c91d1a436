// SPDX-License-Identifier: Apache-2.0
// Filters and sorts the list of objects. Without it the page shows everything, worst first.
"use strict";
(() => {
  const list = document.getElementById("objects");
  const [filter, status, sort, shown] = ["filter", "status", "sort", "shown"].map((id) => document.getElementById(id));
  const rows = Array.from(list.children);
  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const fits = !status.value || row.dataset.status === status.value;
      row.hidden = !(fits && words.every((word) => row.dataset.text.includes(word)));
      count += !row.hidden;
    }
    shown.textContent = `${count} of ${rows.length} shown`;
  };
  const order = () => {
    const key = sort.value;
    const isText = key === "text";
    const value = (row) => (isText ? row.dataset.text : row.dataset[key] === "" ? -Infinity : Number(row.dataset[key]));
    const keyed = rows.map((row, k) => [value(row), k, row]);
    const sign = isText ? 1 : -1;
    keyed.sort((a, b) => (a[0] < b[0] ? -sign : a[0] > b[0] ? sign : a[1] - b[1]));
    list.append(...keyed.map((one) => one[2]));
  };
  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target) {
      target.open = true;
      target.scrollIntoView();
    }
  };
  filter.addEventListener("input", show);
  status.addEventListener("change", show);
  sort.addEventListener("change", order);
  addEventListener("hashchange", open);
  document.querySelector(".tools").hidden = false;
  show();
  open();
})();
