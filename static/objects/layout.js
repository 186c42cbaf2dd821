// Which columns of a class are shown, in which order and how wide. The browser remembers it for each class.

const least = 60;
const most = 900;
const placeOf = (name) => `realmgate.columns.${name}`;

export class Layout {
  #order = [];
  #hidden = new Set();
  #widths = new Map();

  constructor(objectClass) {
    this.objectClass = objectClass;
    try {
      const { order, hidden, widths } = JSON.parse(localStorage.getItem(placeOf(objectClass.name)) ?? "{}");
      if (Array.isArray(order)) this.#order = order.map(String);
      if (Array.isArray(hidden)) this.#hidden = new Set(hidden.map(String));
      if (Array.isArray(widths)) this.#widths = new Map(widths.filter(([, width]) => width >= least && width <= most));
    } catch {
      // Storage may be forbidden, or hold what another program wrote: then the columns are those of the schema.
    }
  }

  /** All columns in their order. The first, which names the object, stays where it is. */
  get all() {
    const [first, ...rest] = this.objectClass.properties;
    const place = (one, index) => {
      const found = this.#order.indexOf(one.name);
      return found < 0 ? this.#order.length + index : found;
    };
    const placed = rest.map((one, index) => ({ one, place: place(one, index) }));
    return first === undefined ? [] : [first, ...placed.sort((a, b) => a.place - b.place).map(({ one }) => one)];
  }

  /** The columns that are shown. */
  get properties() {
    return this.all.filter((one) => this.isShown(one));
  }

  isShown(property) {
    return property === this.objectClass.properties[0] || !this.#hidden.has(property.name);
  }

  /** The width that the reader chose, or undefined. */
  widthOf(property) {
    return this.#widths.get(property.name);
  }

  get isChanged() {
    return this.#order.length + this.#hidden.size + this.#widths.size > 0;
  }

  show(name, isShown) {
    if (isShown) this.#hidden.delete(name);
    else this.#hidden.add(name);
    this.#keep();
  }

  /** Moves a column among those that are shown; returns whether there was room. */
  move(name, step) {
    const names = this.all.map((one) => one.name);
    const shown = this.properties.map((one) => one.name);
    const from = shown.indexOf(name);
    const to = from + step;
    if (from < 1 || to < 1 || to >= shown.length) return false;
    names.splice(names.indexOf(name), 1);
    names.splice(names.indexOf(shown[to]) + (step > 0 ? 1 : 0), 0, name);
    this.#order = names;
    this.#keep();
    return true;
  }

  widen(name, width) {
    this.#widths.set(name, Math.round(Math.max(least, Math.min(most, width))));
    this.#keep();
  }

  reset() {
    this.#order = [];
    this.#hidden.clear();
    this.#widths.clear();
    this.#keep();
  }

  #keep() {
    try {
      if (!this.isChanged) localStorage.removeItem(placeOf(this.objectClass.name));
      else localStorage.setItem(placeOf(this.objectClass.name), JSON.stringify({
        order: this.#order, hidden: [...this.#hidden], widths: [...this.#widths],
      }));
    } catch {
      // As above: then the columns last until the page is loaded again.
    }
  }
}
