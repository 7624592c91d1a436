// SPDX-License-Identifier: Apache-2.0
// The address after `#` says what is shown, so that it can be sent: `#object=…`, and the filters.

const address = {
  read() {
    const text = location.hash.slice(1);
    return text.includes("=") ? new URLSearchParams(text) : null;
  },

  /** Shows filters and object in the address; `entry` makes a step for the browser's back button. */
  write(values, entry = false) {
    const found = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) if (value) found.set(name, value);
    const text = found.size ? `#${found}` : "#gallery";
    if (text === location.hash || (text === "#gallery" && !location.hash)) return;
    try {
      history[entry ? "pushState" : "replaceState"](null, "", text);
    } catch {
      // Some browsers limit how often a page may do this; the page works without.
    }
  },

  of(id) {
    return `#${new URLSearchParams({ object: id })}`;
  },
};
