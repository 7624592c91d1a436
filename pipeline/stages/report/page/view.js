// SPDX-License-Identifier: Apache-2.0
// The large view of one object: pictures, tree, joints, findings, license and provenance.

const PICTURES = { rest: "At rest", open: "Opened", parts: "Parts", strip: "In motion" };
const WIDEST = 560; // pixels of a tree that has room below the pictures
const largePath = (row, name) => `data/pictures/${padded(row, 5)}-${name}.webp`;
const detailsPath = (number) => `data/details/${padded(number, 4)}.js`;

/** The details of objects by id, as their scripts hand them over. */
const details = new Map();

class View {
  constructor(table, { closed, step }) {
    this.table = table;
    this.dialog = byId("object");
    this.row = null;
    this.picture = "rest";
    this.dialog.addEventListener("close", () => {
      const { row } = this;
      this.row = null;
      byId("object-body").replaceChildren();
      closed(row);
    });
    this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) this.dialog.close(); });
    this.dialog.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (way && !event.target.closest("input, .wide, .tree")) step(way);
    });
    byId("close").addEventListener("click", () => this.dialog.close());
    byId("previous").addEventListener("click", () => step(-1));
    byId("next").addEventListener("click", () => step(1));
    byId("copy").addEventListener("click", () => this.#copy());
  }

  async show(row, place, count) {
    const { table } = this;
    this.row = row;
    byId("place").textContent = place < 0 ? "not among the results" : `${numbers.format(place + 1)} of ${numbers.format(count)}`;
    byId("previous").disabled = place <= 0;
    byId("next").disabled = place < 0 || place >= count - 1;
    byId("copy").textContent = "Copy address";
    if (!this.dialog.open) this.dialog.showModal();
    const path = detailsPath(table.details[row]);
    const id = table.ids[row];
    const failed = details.has(id) ? "" : await loadScript(path).then(() => "", () =>
      `The details of this object are missing: ${path} is not beside this page. Run \`make report\`, or copy the whole folder.`);
    if (this.row !== row) return;
    byId("object-body").replaceChildren(...this.#content(row, details.get(id), failed));
    this.dialog.scrollTop = 0;
    byId("object-body").scrollTop = 0;
  }

  #content(row, told, failed) {
    const { table } = this;
    const name = table.names[row] || table.ids[row];
    const head = element("header", { class: "object-head" },
      element("h2", { id: "object-name" }, name),
      element("p", { class: "dim" }, `${table.text("supercategory", row)} › ${spaced(table.text("category", row))}`),
      element("p", {}, table.text("description", row)));
    const facts = element("div", { class: "object-facts" }, head, this.#facts(row, told));
    const columns = [[this.#pictures(row)], [facts]];
    const parts = [];
    if (failed || !told) columns[1].push(element("p", { class: "problem" }, failed || "This object has no details."));
    if (told) {
      const tree = this.#tree(told);
      if (tree.querySelector("svg")?.width.baseVal.value > WIDEST) parts.push(tree);
      else columns[0].push(tree);
      columns[1].push(this.#joints(told), this.#findings(told));
      parts.push(this.#origin(row, told));
    }
    return [element("div", { class: "object-top" }, ...columns.map((one) => element("div", { class: "column" }, ...one))), ...parts];
  }

  #pictures(row) {
    const { table } = this;
    const names = Object.keys(PICTURES).filter((name) => table.has(row, name));
    const stage = element("div", { class: "stage" });
    if (!names.length) {
      const thumb = element("div", { class: "thumb" });
      stage.append(thumb);
      sheets.show(thumb, table, row);
      const why = table.has(row, "thumbnail")
        ? `This report has the large pictures of a few objects per category. Those of this object are in the library: load_dataset("library")["${table.ids[row]}"].preview`
        : "The library has no pictures of this object.";
      return element("div", { class: "pictures" }, stage, element("p", { class: "dim" }, why));
    }
    const show = (name) => {
      this.picture = name;
      const shown = element("img", { src: largePath(row, name), alt: `${table.names[row]}: ${PICTURES[name].toLowerCase()}` });
      shown.onerror = () => stage.replaceChildren(element("p", { class: "problem" }, `${largePath(row, name)} is not beside this page.`));
      stage.replaceChildren(shown);
      for (const button of bar.children) button.setAttribute("aria-pressed", button.dataset.name === name);
    };
    const bar = element("div", { class: "choice", role: "group", "aria-label": "picture" }, ...names.map((name) => {
      const button = element("button", { type: "button", "data-name": name }, PICTURES[name]);
      button.addEventListener("click", () => show(name));
      return button;
    }));
    show(names.includes(this.picture) ? this.picture : names[0]);
    return element("div", { class: "pictures" }, stage, bar);
  }

  #facts(row, told) {
    const { table } = this;
    const unit = table.metric[row] ? " m" : "";
    const meters = table.metric[row] ? "" : " (not true meters)";
    const splits = table.text("split", row).filter((one) => one !== "library");
    const joints = TYPES.filter((type) => table[`joints_${type}`][row])
      .map((type) => `${numbers.format(table[`joints_${type}`][row])} ${type}`).join(", ");
    const size = told?.extents.every((one) => one !== null) ? told.extents.map((one) => `${one}`).join(" × ") + unit + meters : "";
    return pairs([
      ["Id", code(table.ids[row])],
      ["Joints", joints || "none"],
      ["Tree", `${counted(table.links[row], "link")}, depth ${table.depth[row]}`],
      ["Size", size || `diagonal ${table.diagonal[row]}${unit}${meters}`],
      ["Mass", told?.mass ? `${told.mass} kg at the configured density` : ""],
      ["Splits", splits.join(", ") || "library alone"],
      ["License", table.text("license", row)],
      ["Source", table.text("source", row)],
    ]);
  }

  #tree(told) {
    const box = element("div", { class: "tree", tabindex: 0, role: "group", "aria-label": "kinematic tree" });
    // The picture is read as XML, in which a broken name is an error and no markup of this page.
    const picture = told.tree && new DOMParser().parseFromString(told.tree, "image/svg+xml").documentElement;
    if (picture && picture.localName === "svg") box.append(document.importNode(picture, true));
    else box.append(element("p", { class: "dim" }, "The joints of this object form no tree that can be drawn."));
    const made = section("Kinematic tree", box);
    made.className = "tree-section";
    return made;
  }

  #joints(told) {
    if (!told.joints.length) return section("Joints", element("p", { class: "dim" }, "This object has no joints."));
    const follows = told.joints.some((joint) => joint.at(-1));
    const heads = ["joint", "type", "moves", "relative to", "range", ...(follows ? ["follows"] : [])];
    const rows = told.joints.map(([color, name, type, child, part, parent, range, mimic]) => element("tr", {},
      element("td", {}, dot(color), code(name)),
      element("td", { class: "type" }, glyph(type), type),
      element("td", {}, code(child), part ? element("span", { class: "dim" }, ` ${part}`) : ""),
      element("td", {}, code(parent)), element("td", {}, range),
      follows ? element("td", {}, mimic ? code(mimic) : "") : ""));
    return section(`Joints (${numbers.format(rows.length)})`, wide(table(heads, rows)));
  }

  #findings(told) {
    if (!told.findings.length) return section("Findings", element("p", { class: "dim" }, "None."));
    const rows = told.findings.map(([severity, name, stage, detail]) => element("tr", {},
      element("td", { class: severity }, severity), element("td", {}, code(name)), element("td", {}, stage), element("td", {}, detail)));
    return section(`Findings (${numbers.format(rows.length)})`, wide(table(["severity", "code", "stage", "detail"], rows)));
  }

  #origin(row, told) {
    const license = pairs([
      ["License", this.table.text("license", row)],
      ["Credit", told.attribution],
      ["A release has", { assets: "the files", annotations: "the annotations alone", none: "nothing of it" }[told.redistribution] ?? told.redistribution],
      ["Rebuild", told.rebuild ? code(told.rebuild) : ""],
      ["Label", told.label],
      ["Front", told.front],
      ["Scale", told.scale === null ? "" : `${told.scale} × the source`],
      ["Content", code(told.sha256)],
      ["Pictures", told.backend ? `drawn by ${told.backend}` : ""],
    ]);
    return section("License and provenance", license, pairs(told.provenance.map(([name, value]) => [spaced(name), value])));
  }

  async #copy() {
    const target = new URL(location.href);
    target.hash = address.of(this.table.ids[this.row]);
    try {
      await navigator.clipboard.writeText(target.href);
      byId("copy").textContent = "Copied";
    } catch {
      address.write({ object: this.table.ids[this.row] });
      byId("copy").textContent = "It is in the address bar";
    }
  }
}

const code = (text) => element("code", {}, text);
const section = (title, ...content) => element("section", {}, element("h3", {}, title), ...content);
const wide = (content) => element("div", { class: "wide", tabindex: 0 }, content);

/** Returns a list of names and what they are; pairs without a value are left out. */
function pairs(rows) {
  const list = element("dl");
  for (const [name, value] of rows) if (value) list.append(element("dt", {}, name), element("dd", {}, value));
  return list;
}

function table(heads, rows) {
  return element("table", {},
    element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, ...rows));
}
