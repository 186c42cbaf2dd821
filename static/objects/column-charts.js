// A small chart in the heading of each column: a histogram of numbers, a time line of dates, the most frequent of other
// values. It shows what the query selects, and follows the data.
//
// Cost: a live aggregate for each column in view, begun one after the other; a commit then costs the gateway what it
// changed. A chart is drawn at most twice in a second. Columns out of view and charts that are switched off cost nothing.
// Of more than 250,000 objects the beginning may cost 0.1 to 0.4 seconds per million and column, so there a chart waits until it
// is pressed.

import { RealmgateError, load } from "../core/api.js";
import { distributionOf, formOf, highest, questionOf, sentence, share } from "../charts/distribution.js";
import { svg } from "../charts/svg.js";
import { tally } from "../core/values.js";
import { make } from "../parts/element.js";

const pause = 500;
const retryPause = 5000;
/** Where a query selects more objects than this, the chart of a column is drawn when the reader asks for it. */
const many = 250_000;
const shownValues = 2;
/** The share from which on the most frequent value is worth the room. */
const telling = 0.02;
const key = "realmgate.charts";
const height = 34;

export class ColumnCharts {
  #cells = new Map();
  #isOn;
  #asked = null;
  #timer = null;
  #control = null;
  #dialog = null;
  #observer = null;

  /** `filter(predicate)` asks for the objects of a bar. */
  constructor(gateway, root, toggle, { filter }) {
    this.gateway = gateway;
    this.root = root;
    this.toggle = toggle;
    this.filter = filter;
    this.#isOn = remembered() ?? matchMedia("(min-width: 761px) and (min-height: 641px)").matches;
    this.toggle.setAttribute("aria-pressed", String(this.#isOn));
    this.toggle.addEventListener("click", () => this.#turn());
    this.root.addEventListener("headings", () => this.#decorate());
    // The keyboard's order: a heading is one stop, whatever is in it.
    this.root.addEventListener("keydown", (event) => {
      const column = event.target.closest(".heading")?.dataset.column;
      if (event.key !== "d" || column === undefined || event.ctrlKey || event.metaKey || event.altKey || !this.#isOn) return;
      event.preventDefault();
      this.#open(this.columns.properties[Number(column)]);
    });
  }

  /** Starts over for a class, after its headings are there. */
  show(objectClass, schema, columns) {
    this.close();
    Object.assign(this, { objectClass, schema, columns });
    this.#observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) this.#seen(target, isIntersecting);
    }, { root: this.root });
    this.#decorate();
  }

  /** Puts the charts into the headings, which are others after each change of the columns. */
  #decorate() {
    if (this.#observer === null) return;
    this.#observer.disconnect();
    for (const cell of this.#cells.values()) cell.isSeen = false;
    for (const heading of this.columns.head.querySelectorAll("[data-column]")) {
      const property = this.columns.properties[Number(heading.dataset.column)];
      // A heading without a chart keeps the room, so that all names are on one line.
      const room = make("div.chart-room", { hidden: !this.#isOn });
      heading.prepend(room);
      if (formOf(property, this.schema) === null) continue;
      const cell = this.#cells.get(property.name) ?? this.#cellOf(property);
      cell.heading = heading;
      room.append(cell.chart);
      this.#cells.set(property.name, cell);
      this.#observer.observe(heading);
    }
  }

  #cellOf(property) {
    const isDue = (this.#asked?.count ?? 0) <= many;
    const cell = { property, chart: this.#chartOf(property), isSeen: false, isDue, isWanted: false, answer: null, stream: null, timer: null };
    if (!isDue) this.#offer(cell);
    return cell;
  }

  #chartOf(property) {
    const chart = make("button.column-chart", { type: "button", tabindex: "-1", hidden: true, "aria-haspopup": "dialog" });
    // Headings sort when they are pressed; their charts do not.
    chart.addEventListener("click", (event) => {
      event.stopPropagation();
      this.#open(property);
    });
    chart.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") event.stopPropagation();
    });
    return chart;
  }

  close() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#control?.abort();
    this.#control = null;
    this.#observer?.disconnect();
    this.#observer = null;
    this.#dialog?.close();
    this.#dialog = null;
    this.#leaveAll();
    this.#cells.clear();
    this.#asked = null;
  }

  /** The query selects `count` objects, maybe others than before, as of `version`. */
  changed(parameters, version, count) {
    const asked = JSON.stringify([parameters.filter, parameters.distinct, parameters.snapshot]);
    const isNew = asked !== this.#asked?.text;
    if (!isNew && this.#asked.version === String(version)) return;
    this.#asked = { text: asked, version: String(version), parameters, count };
    for (const cell of this.#cells.values()) {
      if (isNew) {
        cell.isWanted = false;
        this.#leave(cell);
      }
      const isDrawn = count <= many || cell.isWanted;
      cell.isDue = isDrawn && cell.stream === null;
      if (!isDrawn) {
        this.#leave(cell);
        this.#offer(cell);
      }
    }
    if (isNew) {
      this.#control?.abort();
      this.#control = null;
      this.#soon(0);
    } else {
      this.#soon();
    }
  }

  // MARK: Asking

  #seen(heading, isSeen) {
    for (const cell of this.#cells.values()) {
      if (cell.heading !== heading) continue;
      cell.isSeen = isSeen;
      if (!isSeen) this.#leave(cell);
    }
    if (isSeen) this.#soon(0);
  }

  #soon(wait = pause) {
    if (!this.#isOn || this.#asked === null || this.#control !== null) return;
    if (wait === 0) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#load();
    }, wait);
  }

  async #load() {
    const control = new AbortController();
    this.#control = control;
    let cell;
    while ((cell = this.#next()) !== null) {
      cell.isDue = false;
      try {
        await this.#begin(cell, control.signal);
        if (control.signal.aborted) return;
      } catch (error) {
        if (control.signal.aborted) return;
        // The page says what is wrong with a query or the connection; the chart must not show what is no longer so.
        if (!(error instanceof RealmgateError)) throw error;
        cell.answer = null;
        cell.chart.hidden = true;
        if (error.status !== 0 && error.status !== 429 && error.status < 500) continue;
        // The gateway is away or busy: later, and not for each of the columns.
        cell.isDue = true;
        this.#control = null;
        this.#soon(retryPause);
        return;
      }
    }
    this.#control = null;
    if ([...this.#cells.values()].some((one) => one.isDue && one.isSeen)) this.#soon();
  }

  /** Follows the distribution of a column; that of a snapshot is read. Waits for the first result. */
  async #begin(cell, signal) {
    const { filter, distinct, snapshot } = this.#asked.parameters;
    const query = this.gateway.objects(this.objectClass.name).with({ filter, distinct, snapshot: snapshot || undefined });
    const answer = query.aggregates(questionOf(cell.property, this.schema));
    if (snapshot) {
      const { version } = this.#asked;
      const found = await answer.get({ signal });
      if (!signal.aborted) this.#take(cell, found, version);
      return;
    }
    await new Promise((resolve, reject) => {
      signal.addEventListener("abort", resolve, { once: true });
      const stream = answer.observe(() => {
        if (cell.stream !== stream) return;
        resolve();
        // There may be many commits in a second.
        cell.timer ??= setTimeout(() => {
          cell.timer = null;
          if (cell.stream === stream) this.#take(cell, stream.items, stream.version);
        }, cell.answer === null ? 0 : pause);
      }, {
        onError: (error) => {
          if (cell.stream !== stream) return;
          cell.stream = null;
          cell.answer = null;
          cell.chart.hidden = true;
          reject(error);
        },
      });
      cell.stream = stream;
    });
  }

  #take(cell, answer, version) {
    cell.answer = distributionOf(answer, version, cell.property, this.schema);
    this.#draw(cell);
  }

  /** Follows a column no longer; what is drawn stays until it comes into view. */
  #leave(cell) {
    clearTimeout(cell.timer);
    cell.timer = null;
    if (cell.stream === null) return;
    const { stream } = cell;
    cell.stream = null;
    cell.isDue = true;
    stream.stop();
  }

  #leaveAll() {
    for (const cell of this.#cells.values()) this.#leave(cell);
  }

  #next() {
    return [...this.#cells.values()].find((one) => one.isDue && one.isSeen) ?? null;
  }

  // MARK: Drawing

  /** A chart that is drawn when it is pressed. */
  #offer(cell) {
    cell.answer = null;
    cell.chart.hidden = false;
    cell.chart.title = `Draw the distribution of ${cell.property.name}`;
    cell.chart.setAttribute("aria-label", cell.chart.title);
    cell.chart.replaceChildren(make("span.none", {}, "draw"));
  }

  #draw({ chart, answer, property }) {
    const most = highest(answer.bars);
    const words = sentence(answer);
    chart.hidden = answer.total === 0;
    chart.title = words;
    chart.setAttribute("aria-label", `Distribution of ${words}`);
    if (most === null) chart.replaceChildren(make("span.none", {}, "no values"));
    else if (answer.form === "bins") chart.replaceChildren(histogram(answer.bars, most.count));
    else chart.replaceChildren(...values(answer));
    if (this.#dialog?.property === property) this.#dialog.show(answer);
  }

  async #open(property) {
    const { DistributionDialog } = await load(() => import("./distribution-dialog.js"));
    const cell = this.#cells.get(property.name);
    if (cell === undefined) return;
    if (cell.answer === null) {
      cell.isWanted = true;
      cell.isDue = true;
      cell.chart.replaceChildren(make("span.none", {}, "drawing…"));
      this.#soon(0);
      return;
    }
    const { answer } = cell;
    this.#dialog = new DistributionDialog(answer, {
      choose: (predicate) => this.filter(predicate),
      closed: () => {
        this.#dialog = null;
      },
    });
  }

  #turn() {
    this.#isOn = !this.#isOn;
    remember(this.#isOn);
    this.toggle.setAttribute("aria-pressed", String(this.#isOn));
    for (const room of this.root.querySelectorAll(".chart-room")) room.hidden = !this.#isOn;
    if (this.#isOn) this.#soon(0);
    else {
      clearTimeout(this.#timer);
      this.#timer = null;
      this.#control?.abort();
      this.#control = null;
      this.#leaveAll();
    }
    this.root.dispatchEvent(new Event("scroll"));
  }
}

/** Bars over a line; the highest one is as high as there is room. */
export function histogram(bars, most) {
  const width = 100 / bars.length;
  return svg("svg", { viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    bars.filter((one) => one.count > 0).map((one) => {
      // One object in a million is still to be seen.
      const size = Math.max(1.5, (one.count / most) * (height - 1));
      return svg("rect.bar", {
        x: (bars.indexOf(one) * width + width * 0.08).toFixed(2), width: (width * 0.84).toFixed(2),
        y: (height - size).toFixed(2), height: size.toFixed(2),
      });
    }));
}

/** The most frequent values, each with its share as a line behind it. */
function values({ bars, others, total }) {
  const different = bars.length + others.groups;
  // The beginning of a long list of rare values says nothing about the others.
  if (bars[0].count / total < telling && different > bars.length) {
    return [make("span.none", {}, `${tally(different)} different`)];
  }
  return bars.slice(0, shownValues).map((one) => make("span.top-value", {},
    svg("svg", { viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect.bar", { width: ((one.count / total) * 100).toFixed(2), height: 1 })),
    make(`span.label${one.isNull ? ".null" : ""}`, {}, one.label === "" ? "(empty)" : one.label),
    make("span.share", {}, share(one.count, total))));
}

function remembered() {
  try {
    const kept = localStorage.getItem(key);
    return kept === null ? null : kept === "on";
  } catch {
    return null;
  }
}

function remember(isOn) {
  try {
    localStorage.setItem(key, isOn ? "on" : "off");
  } catch {
    // Storage may be forbidden: then the choice lasts as long as the page.
  }
}
