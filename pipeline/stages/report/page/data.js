// SPDX-License-Identifier: Apache-2.0
// The data of the gallery: scripts beside the page hand it to the functions of `aaReport`.
// Every text in it is foreign: it goes into the document as text, never as markup.

const TYPES = ["revolute", "continuous", "prismatic", "helical", "fixed"];
const BITS = { thumbnail: 1, rest: 2, open: 4, parts: 8, strip: 16 };
const PER_SHEET = 100;
const SHEET_COLUMNS = 10;

const byId = (id) => document.getElementById(id);
const numbers = new Intl.NumberFormat("en-US");
const counted = (count, one, many = `${one}s`) => `${numbers.format(count)} ${count === 1 ? one : many}`;
const spaced = (label) => label.replaceAll("_", " ");
const padded = (number, length) => String(number).padStart(length, "0");

/** Returns a new element with text and attributes; children may be elements or text. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** Returns the glyph of a joint type, which the page holds as a symbol. */
function glyph(type) {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("class", `glyph ${type}`);
  picture.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#glyph-${type}`);
  picture.append(use);
  return picture;
}

/** Returns a dot in a color of the tree drawings. */
function dot(color) {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("class", "aa-tree dot");
  picture.setAttribute("aria-hidden", "true");
  const circle = document.createElementNS(SVG, "circle");
  for (const [name, value] of Object.entries({ class: `fill-${color}`, cx: 5, cy: 5, r: 5 })) circle.setAttribute(name, value);
  picture.append(circle);
  return picture;
}

/** Loads a script beside the page once; the promise fails if it is not there. */
const scripts = new Map();
function loadScript(path) {
  if (!scripts.has(path)) {
    scripts.set(path, new Promise((resolve, reject) => {
      const made = document.createElement("script");
      made.src = path;
      made.onload = resolve;
      made.onerror = () => reject(new Error(`${path} is not beside this page`));
      document.head.append(made);
    }));
    scripts.get(path).catch(() => scripts.delete(path));
  }
  return scripts.get(path);
}

/** The objects, one array per column; a listed column has `values` and `rows`, their places. */
class Table {
  constructor(columns) {
    Object.assign(this, columns);
    this.joints = this.joints_movable;
    this.findings = this.code.rows.map((place) => this.code.values[place].length);
    // A label is found with its underscores, as tables have it, and with spaces, as the page shows it.
    const written = (text) => (text.includes("_") ? `${spaced(text)}\n${text}` : text).toLowerCase();
    const listed = (name) => this[name].values.map(written);
    const [categories, descriptions] = [listed("category"), listed("description")];
    this.words = this.names.map((name, row) =>
      `${name.toLowerCase()}\n${categories[this.category.rows[row]]}\n` +
      `${descriptions[this.description.rows[row]]}\n${this.ids[row].toLowerCase()}`);
    this.rowOfId = new Map(this.ids.map((id, row) => [id, row]));
    this.orders = new Map();
  }

  text(name, row) {
    return this[name].values[this[name].rows[row]];
  }

  /** Returns a number by which rows of a supercategory, and in it of a category, stand together. */
  group(row) {
    return this.supercategory.rows[row] * this.category.values.length + this.category.rows[row];
  }

  has(row, picture) {
    return (this.pictures[row] & BITS[picture]) !== 0;
  }

  /** Returns all rows in the order of a sort, computed once. */
  order(key) {
    if (!this.orders.has(key)) {
      const rows = Uint32Array.from({ length: this.count }, (_, row) => row);
      this.orders.set(key, SORTS[key].compare ? rows.sort(SORTS[key].compare(this)) : rows);
    }
    return this.orders.get(key);
  }
}

const most = (column) => (table) => (a, b) => table[column][b] - table[column][a] || a - b;
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
const SORTS = {
  variety: { label: "one of each category first" },
  category: { label: "category", compare: (table) => (a, b) => table.group(a) - table.group(b) || a - b },
  name: { label: "name", compare: (table) => (a, b) => collator.compare(table.names[a], table.names[b]) || a - b },
  joints: { label: "most joints", compare: most("joints") },
  depth: { label: "deepest tree", compare: most("depth") },
  largest: { label: "largest", compare: most("diagonal") },
  smallest: { label: "smallest", compare: (table) => (a, b) => table.diagonal[a] - table.diagonal[b] || a - b },
  findings: { label: "most findings", compare: most("findings") },
  id: { label: "id", compare: (table) => (a, b) => (table.ids[a] < table.ids[b] ? -1 : 1) },
};
