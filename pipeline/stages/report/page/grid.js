// SPDX-License-Identifier: Apache-2.0
// The grid: a tall empty box, in which only the tiles near the window exist.

const GAP = 14;
const CAPTION = 62; // height of a tile below its picture
const SPARE = 2; // rows of tiles above and below the window
const WAIT = 120; // ms that the pointer rests before a strip starts

/** The sheets of thumbnails; a tile gets its picture when its sheet is there. */
const sheets = {
  state: new Map(),

  show(thumb, table, row) {
    thumb.className = "thumb";
    thumb.textContent = "";
    thumb.style.backgroundImage = "";
    if (!table.has(row, "thumbnail")) {
      this.miss(thumb, "no picture");
      return;
    }
    const number = Math.floor(row / PER_SHEET);
    const sheet = this.state.get(number) ?? this.load(number);
    if (sheet.ready) this.paint(thumb, table, row);
    else if (sheet.failed) this.miss(thumb, "picture missing");
    else sheet.waiting.set(thumb, () => (sheet.failed ? this.miss(thumb, "picture missing") : this.paint(thumb, table, row)));
  },

  /** Forgets a tile that left the window before its sheet came. */
  forget(thumb, row) {
    this.state.get(Math.floor(row / PER_SHEET))?.waiting.delete(thumb);
  },

  load(number) {
    const sheet = { ready: false, failed: false, waiting: new Map() };
    this.state.set(number, sheet);
    const picture = new Image();
    const done = (failed) => {
      Object.assign(sheet, { ready: !failed, failed });
      for (const show of sheet.waiting.values()) show();
      sheet.waiting.clear();
    };
    picture.onload = () => done(false);
    picture.onerror = () => done(true);
    picture.src = this.path(number);
    return sheet;
  },

  path: (number) => `data/sheets/${padded(number, 4)}.webp`,

  paint(thumb, table, row) {
    const number = Math.floor(row / PER_SHEET);
    const held = Math.min(PER_SHEET, table.count - number * PER_SHEET);
    const lines = Math.ceil(held / SHEET_COLUMNS);
    const [x, y] = [row % SHEET_COLUMNS, Math.floor((row % PER_SHEET) / SHEET_COLUMNS)];
    const share = (place, count) => (count > 1 ? (100 * place) / (count - 1) : 0);
    thumb.style.backgroundImage = `url("${this.path(number)}")`;
    thumb.style.backgroundSize = `${100 * SHEET_COLUMNS}% ${100 * lines}%`;
    thumb.style.backgroundPosition = `${share(x, SHEET_COLUMNS)}% ${share(y, lines)}%`;
    thumb.classList.add("ready");
  },

  miss(thumb, word) {
    thumb.classList.add("missing");
    thumb.textContent = word;
  },
};

class Grid {
  constructor(table, open) {
    this.table = table;
    this.open = open;
    this.box = byId("grid");
    this.tiles = new Map(); // place in the list -> tile
    this.active = 0;
    this.rows = new Uint32Array();
    this.box.addEventListener("keydown", (event) => this.#key(event));
    this.box.addEventListener("click", (event) => this.#click(event));
    for (const kind of ["pointerover", "focusin"]) this.box.addEventListener(kind, (event) => this.#preview(event));
    for (const kind of ["pointerleave", "focusout"]) this.box.addEventListener(kind, () => this.#stop());
    addEventListener("scroll", () => this.#later(), { passive: true });
    new ResizeObserver(() => this.#later(true)).observe(this.box);
  }

  /** Shows other rows, from the first one on. */
  show(rows, { scroll = false } = {}) {
    this.rows = rows;
    this.active = 0;
    for (const place of [...this.tiles.keys()]) this.#remove(place);
    this.measure();
    if (scroll && this.box.getBoundingClientRect().top < 0) this.#scrollTo(0);
    this.draw();
  }

  measure() {
    const width = this.box.clientWidth;
    const wanted = width < 520 ? 150 : 184;
    this.columns = Math.max(2, Math.floor((width + GAP) / (wanted + GAP)));
    this.side = (width - GAP * (this.columns - 1)) / this.columns;
    this.line = this.side + CAPTION + GAP;
    const lines = Math.ceil(this.rows.length / this.columns);
    this.box.style.height = `${Math.max(0, lines * this.line - GAP)}px`;
  }

  draw() {
    if (!this.box.offsetParent) return; // another part of the page is shown
    const top = -this.box.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(top / this.line) - SPARE) * this.columns;
    const lines = Math.ceil(innerHeight / this.line) + 2 * SPARE + 1;
    const last = Math.min(this.rows.length, first + lines * this.columns);
    const wanted = (place) => (place >= first && place < last) || place === this.active;
    for (const place of [...this.tiles.keys()]) if (!wanted(place)) this.#remove(place);
    for (let place = first; place < last; place++) this.#place(place);
    if (this.active < this.rows.length) this.#place(this.active);
  }

  /** Moves the focus to an object, wherever it is. */
  focus(place, { scroll = true } = {}) {
    if (!this.rows.length) return;
    const before = this.active;
    this.active = Math.max(0, Math.min(this.rows.length - 1, place));
    if (scroll) this.#reveal(this.active);
    this.draw();
    for (const one of [before, this.active]) {
      const tile = this.tiles.get(one);
      if (tile) tile.firstChild.tabIndex = one === this.active ? 0 : -1;
    }
    this.tiles.get(this.active)?.firstChild.focus({ preventScroll: true });
  }

  #later(resized = false) {
    this.resized ||= resized;
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = null;
      if (this.resized && this.box.clientWidth) this.#resize();
      this.resized = false;
      this.draw();
    });
  }

  #resize() {
    const seen = Math.max(0, Math.floor(-this.box.getBoundingClientRect().top / this.line)) * this.columns;
    const before = this.columns;
    this.measure();
    for (const [place, tile] of this.tiles) this.#position(tile, place);
    if (seen && before !== this.columns) this.#scrollTo(Math.floor(seen / this.columns) * this.line);
  }

  #remove(place) {
    const tile = this.tiles.get(place);
    sheets.forget(tile.thumb, tile.row);
    tile.remove();
    this.tiles.delete(place);
  }

  #place(place) {
    if (this.tiles.has(place)) return;
    const tile = this.#tile(place);
    this.tiles.set(place, tile);
    const next = this.tiles.get(place + 1);
    this.box.insertBefore(tile, next ?? null);
  }

  #position(tile, place) {
    const [x, y] = [place % this.columns, Math.floor(place / this.columns)];
    tile.style.width = `${this.side}px`;
    tile.style.height = `${this.side + CAPTION}px`;
    tile.style.transform = `translate(${x * (this.side + GAP)}px, ${y * this.line}px)`;
  }

  #tile(place) {
    const { table } = this;
    const row = this.rows[place];
    const thumb = element("div", { class: "thumb" });
    const counts = TYPES.filter((type) => type !== "fixed" && table[`joints_${type}`][row]).map((type) =>
      element("span", { class: "count", title: counted(table[`joints_${type}`][row], `${type} joint`) },
        glyph(type), String(table[`joints_${type}`][row])));
    const link = element("a",
      { class: "tile", href: address.of(table.ids[row]), tabindex: place === this.active ? 0 : -1, draggable: "false" },
      thumb,
      element("span", { class: "name", title: table.names[row] }, table.names[row] || table.ids[row]),
      element("span", { class: "about" },
        element("span", { class: "category" }, spaced(table.text("category", row))), ...counts));
    const tile = element("div",
      { role: "listitem", class: "cell", "aria-posinset": place + 1, "aria-setsize": this.rows.length }, link);
    Object.assign(tile, { thumb, row, place });
    this.#position(tile, place);
    sheets.show(thumb, table, row);
    return tile;
  }

  #reveal(place) {
    const y = Math.floor(place / this.columns) * this.line;
    const box = this.box.getBoundingClientRect();
    const head = byId("tools").offsetHeight + GAP;
    const above = box.top + y < head;
    const below = box.top + y + this.line > innerHeight;
    if (above) this.#scrollTo(y);
    else if (below) scrollTo({ top: scrollY + box.top + y + this.line - innerHeight + GAP });
  }

  #scrollTo(y) {
    const head = byId("tools").offsetHeight + GAP;
    scrollTo({ top: scrollY + this.box.getBoundingClientRect().top + y - head });
  }

  #click(event) {
    const tile = event.target.closest(".cell");
    if (!tile || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    this.active = tile.place;
    this.open(tile.row);
  }

  #key(event) {
    const page = this.columns * Math.max(1, Math.floor(innerHeight / this.line) - 1);
    const steps = {
      ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.columns, ArrowUp: -this.columns,
      PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity,
    };
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const last = this.rows.length - 1;
    const place = this.active + step;
    if (Math.abs(step) === this.columns && (place < 0 || place > last)) return;
    this.focus(place);
  }

  /** Plays the strip of the tile below the pointer, or with the focus. */
  #preview(event) {
    const tile = event.target.closest(".cell");
    if (tile === this.playing) return;
    this.#stop();
    const name = ["strip", "open"].find((one) => tile && this.table.has(tile.row, one));
    if (!name || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.playing = tile;
    this.timer = setTimeout(() => {
      const picture = element("img", { class: "moving", alt: "" });
      picture.onload = () => { if (this.playing === tile) tile.thumb.append(picture); };
      picture.src = largePath(tile.row, name);
    }, WAIT);
  }

  #stop() {
    clearTimeout(this.timer);
    this.playing?.thumb.querySelector(".moving")?.remove();
    this.playing = null;
  }
}
