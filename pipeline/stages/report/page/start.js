// SPDX-License-Identifier: Apache-2.0
// Puts the parts together: tabs, table, filters, grid, large view, address.

const TABS = ["gallery", "figures", "paper"];

function showTab(name) {
  for (const tab of TABS) {
    byId(tab).hidden = tab !== name;
    const link = document.querySelector(`nav a[href="#${tab}"]`);
    if (tab === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function start(table) {
  byId("count").textContent = "";
  let isSaving = null;
  const grid = new Grid(table, (row) => open(row, true));
  const view = new View(table, {
    closed: (row) => {
      save();
      const place = grid.rows.indexOf(row);
      if (place >= 0) grid.focus(place);
    },
    step: (way) => {
      const row = grid.rows[grid.rows.indexOf(view.row) + way];
      if (row !== undefined) open(row, false);
    },
  });
  const filters = new Filters(table, (rows, told) => {
    grid.show(rows, { scroll: told });
    tell(rows.length);
    clearTimeout(isSaving);
    isSaving = setTimeout(save, 250);
  });

  const save = (entry = false) => {
    const object = view.row === null ? {} : { object: table.ids[view.row] };
    address.write({ ...filters.values, ...object }, entry);
  };
  const tell = (count) => {
    const all = counted(table.count, "object");
    byId("count").textContent = count === table.count ? all : `${numbers.format(count)} of ${all}`;
    byId("nothing").hidden = count > 0;
    byId("nothing").textContent = table.count ? "No object fits. Clear some filters." : "The library is empty: it has no objects.";
  };
  const open = (row, entry) => {
    view.show(row, grid.rows.indexOf(row), grid.rows.length);
    save(entry);
  };

  /** Shows what the address says: at the start, and after the back button. */
  const follow = () => {
    const params = address.read();
    const tab = location.hash.slice(1);
    showTab(!params && TABS.includes(tab) ? tab : "gallery");
    if (params || !tab || tab === "gallery") {
      filters.set(params ?? new URLSearchParams());
      grid.show(filters.rows);
      tell(filters.rows.length);
    }
    const id = params?.get("object");
    const row = id ? table.rowOfId.get(id) : undefined;
    byId("unknown").hidden = !id || row !== undefined;
    byId("unknown").textContent = id && row === undefined ? `This library has no object ${id}.` : "";
    if (row !== undefined) view.show(row, grid.rows.indexOf(row), grid.rows.length);
    else if (view.dialog.open) {
      view.row = null;
      view.dialog.close();
    }
  };

  addEventListener("popstate", follow);
  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, select, textarea, dialog");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      showTab("gallery");
      byId("search").focus();
    }
  });
  byId("search").addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "Enter") {
      event.preventDefault();
      grid.focus(grid.active);
    }
  });
  const button = byId("filters-button");
  button.addEventListener("click", () => {
    const shown = byId("filters").classList.toggle("open");
    button.setAttribute("aria-expanded", shown);
  });
  document.querySelector('nav a[href="#gallery"]').addEventListener("click", (event) => {
    event.preventDefault();
    showTab("gallery");
    address.write({ ...filters.values });
  });
  byId("tools").addEventListener("submit", (event) => event.preventDefault());
  byId("tools").hidden = false;
  byId("browse").hidden = false;
  follow();
  document.documentElement.dataset.ready = "";
}

globalThis.aaReport = {
  table: (columns) => start(new Table(columns)),
  details: ([, objects]) => { for (const one of objects) details.set(one.id, one); },
};

showTab(TABS.includes(location.hash.slice(1)) ? location.hash.slice(1) : "gallery");
loadScript("data/table.js").catch(() => {
  byId("count").textContent = "";
  byId("unknown").hidden = false;
  byId("unknown").textContent = "The folder data/ is not beside this page: copy the whole folder of the report, or run `make report`.";
});
