// SPDX-License-Identifier: Apache-2.0
// Search, filters and sort: from what the controls say to the rows that the grid shows.

const NONE = "none";
const YES_NO = { yes: 1, no: 0 };

/** The controls by the name that the address uses; each says how an object fits its value. */
const FILTERS = {
  supercategory: { label: "Supercategory", column: "supercategory" },
  category: { label: "Category", column: "category" },
  source: { label: "Source", column: "source" },
  license: { label: "License", column: "license" },
  type: { label: "Joint type" },
  from: { label: "Joints from" },
  to: { label: "to" },
  split: { label: "Split", set: "split" },
  finding: { label: "Finding", set: "code", none: "without findings" },
  metric: { label: "True meters" },
};

class Filters {
  constructor(table, changed) {
    this.table = table;
    this.changed = changed;
    this.controls = { q: byId("search"), sort: byId("sort") };
    for (const [key, sort] of Object.entries(SORTS)) this.controls.sort.append(new Option(sort.label, key));
    byId("filters").prepend(...this.#rows());
    const saved = this.controls;
    saved.q.addEventListener("input", () => this.#apply());
    for (const [name, control] of Object.entries(saved)) {
      if (name !== "q") control.addEventListener(control.type === "number" ? "input" : "change", () => this.#apply());
    }
    byId("clear").addEventListener("click", () => this.clear());
    saved.supercategory.addEventListener("change", () => this.#offerCategories());
    this.#offerCategories();
  }

  get values() {
    return Object.fromEntries(Object.entries(this.controls).map(([name, control]) =>
      [name, name === "sort" && control.value === "variety" ? "" : control.value.trim()]));
  }

  /** Sets the controls from an address; what it does not name is set to nothing. */
  set(params) {
    for (const [name, control] of Object.entries(this.controls)) {
      if (name === "category") this.#offerCategories();
      control.value = params.get(name) ?? (name === "sort" ? "variety" : "");
      if (control.selectedIndex === -1) control.selectedIndex = 0;
    }
    this.#apply(false);
  }

  clear() {
    this.set(new URLSearchParams({ sort: this.controls.sort.value }));
    this.changed(this.rows, true);
    this.controls.q.focus();
  }

  /** Returns the rows that fit, in the order of the sort. */
  find() {
    const tests = this.#tests();
    const rows = this.table.order(this.controls.sort.value);
    return tests.length ? rows.filter((row) => tests.every((fits) => fits(row))) : rows;
  }

  #apply(told = true) {
    const active = Object.entries(this.values).filter(([name, value]) => value && name !== "sort" && name !== "q");
    byId("active").textContent = active.length ? String(active.length) : "";
    byId("clear").hidden = !active.length && !this.controls.q.value;
    for (const [name, control] of Object.entries(this.controls)) {
      control.classList.toggle("set", name !== "sort" && control.value !== "");
    }
    this.rows = this.find();
    if (told) this.changed(this.rows, true);
  }

  #tests() {
    const { table, values } = this;
    const tests = [];
    const words = values.q.toLowerCase().split(/\s+/).filter(Boolean);
    for (const [name, filter] of Object.entries(FILTERS)) {
      const value = values[name];
      if (!value) continue;
      if (filter.column) {
        const column = table[filter.column];
        const place = column.values.indexOf(value);
        tests.push((row) => column.rows[row] === place);
      } else if (filter.set) {
        const column = table[filter.set];
        const fits = column.values.map((set) => (value === NONE ? !set.length : set.includes(value)));
        tests.push((row) => fits[column.rows[row]]);
      }
    }
    if (values.type) tests.push((row) => table[`joints_${values.type}`][row] > 0);
    if (values.from) tests.push((row) => table.joints[row] >= Number(values.from));
    if (values.to) tests.push((row) => table.joints[row] <= Number(values.to));
    if (values.metric) tests.push((row) => table.metric[row] === YES_NO[values.metric]);
    if (words.length) tests.push((row) => words.every((word) => table.words[row].includes(word)));
    return tests;
  }

  /** Makes a labeled control of every filter. */
  #rows() {
    const made = [];
    for (const [name, filter] of Object.entries(FILTERS)) {
      const isNumber = name === "from" || name === "to";
      const id = `filter-${name}`;
      const control = isNumber
        ? element("input", { id, type: "number", min: 0, inputmode: "numeric", placeholder: "any" })
        : element("select", { id });
      this.controls[name] = control;
      if (!isNumber) control.append(new Option("all", ""), ...this.#options(name, filter));
      const line = element("div", { class: isNumber ? "filter half" : "filter" },
        element("label", { for: id }, filter.label), control);
      made.push(line);
    }
    return made;
  }

  #options(name, filter) {
    const { table } = this;
    if (filter.column) return this.#counted(table[filter.column].values, (count) => table[filter.column].rows.forEach(count));
    if (filter.set) {
      const column = table[filter.set];
      const names = [...new Set(column.values.flat())].sort();
      const places = column.values.map((set) => set.map((one) => names.indexOf(one)));
      const options = this.#counted(names, (count) => column.rows.forEach((place) => places[place].forEach(count)));
      const bare = column.rows.reduce((sum, place) => sum + !column.values[place].length, 0);
      return filter.none ? [new Option(`${filter.none} (${numbers.format(bare)})`, NONE), ...options] : options;
    }
    const fits = name === "type"
      ? TYPES.map((type) => [type, (row) => table[`joints_${type}`][row] > 0])
      : Object.entries(YES_NO).map(([word, value]) => [word, (row) => table.metric[row] === value]);
    return fits.map(([word, test]) => {
      let count = 0;
      for (let row = 0; row < table.count; row++) count += test(row);
      return new Option(`${word} (${numbers.format(count)})`, word);
    });
  }

  #counted(names, visit) {
    const counts = new Array(names.length).fill(0);
    visit((place) => { counts[place] += 1; });
    return names.map((name, place) =>
      new Option(`${spaced(name) || "unknown"} (${numbers.format(counts[place])})`, name));
  }

  /** Offers the categories of the chosen supercategory alone. */
  #offerCategories() {
    const { table, controls } = this;
    const chosen = controls.supercategory.value;
    const place = table.supercategory.values.indexOf(chosen);
    this.all ??= [...controls.category.options].slice(1);
    const held = new Set();
    for (let row = 0; row < table.count; row++) {
      if (!chosen || table.supercategory.rows[row] === place) held.add(table.category.rows[row]);
    }
    const before = controls.category.value;
    controls.category.replaceChildren(controls.category.options[0], ...this.all.filter((_, k) => held.has(k)));
    controls.category.value = before;
    if (controls.category.selectedIndex === -1) {
      controls.category.selectedIndex = 0;
      if (before) this.#apply();
    }
  }
}
