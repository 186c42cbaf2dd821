// A chart of readings over time, with axes: values to the left, times of day below, and a reading where one points.

import { make } from "../parts/element.js";
import { exactTime, ticks, timeOfDay, timeTicks } from "./scales.js";
import { rounded, svg } from "./svg.js";

const height = 150;
const edge = { left: 56, right: 10, top: 8, bottom: 22 };
/** The least width that is drawn, also while the chart is not in the page yet. */
const least = 240;

/** A figure with its name, its latest value, and lines over time. */
export class LineChart {
  #data = null;
  #width = 0;
  #pointed = null;

  /** `lines` names them, the first one is drawn over an area; `format(value)` gives words. */
  constructor(name, { note = "", lines = [""], format, unit = 1 }) {
    Object.assign(this, { name, lines, format, unit });
    this.value = make("p.chart-value", {}, "–");
    this.plot = make("div.plot", { role: "img", tabindex: "0", "aria-label": `${name}: no readings yet` });
    this.reading = make("p.note.reading", { "aria-hidden": "true" }, note);
    this.note = note;
    this.root = make("section.chart", { "aria-label": name }, make("h2", {}, name), this.value, this.plot, this.reading);
    new ResizeObserver(() => this.#resized()).observe(this.plot);
    this.plot.addEventListener("pointermove", (event) => this.#point(event.offsetX));
    this.plot.addEventListener("pointerleave", () => this.#choose(null));
    this.plot.addEventListener("blur", () => this.#choose(null));
    this.plot.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Draws `series`, one array of numbers and nulls for each line, over `times` in milliseconds. */
  draw(times, series, [from, to]) {
    this.#data = { times, series, from, to };
    const latest = series.map((values) => values.at(-1) ?? null);
    const parts = latest.flatMap((one, line) => (one === null ? [] : [[
      line > 0 && " · ", this.lines[line] !== "" && make(`span.line-name.name-${line}`, {}, this.lines[line]), this.lines[line] !== "" && " ", this.format(one),
    ]]));
    this.value.replaceChildren(...(latest[0] === null ? ["–"] : parts.flat().filter(Boolean)));
    this.plot.setAttribute("aria-label", this.#sentence());
    this.#paint();
  }

  #sentence() {
    const { times, series } = this.#data;
    const known = series[0].filter((one) => one !== null);
    if (known.length === 0) return `${this.name}: no readings yet`;
    return `${this.name} since ${timeOfDay(times[0])}: latest ${this.value.textContent}, lowest ${
      this.format(Math.min(...known))}, highest ${this.format(Math.max(...known))}. The arrow keys read single points.`;
  }

  #resized() {
    const width = Math.round(this.plot.clientWidth);
    if (width === this.#width || this.#data === null) return;
    this.#paint();
  }

  #x(time) {
    const { from, to } = this.#data;
    return edge.left + ((time - from) / (to - from)) * (this.#width - edge.left - edge.right);
  }

  #paint() {
    this.#width = Math.max(least, Math.round(this.plot.clientWidth));
    const { times, series, from, to } = this.#data;
    const bottom = height - edge.bottom;
    const high = Math.max(0, ...series.flat().filter((one) => one !== null));
    // Bytes have round values in powers of two.
    const scale = this.unit === 1 ? 1 : this.unit ** Math.floor(Math.log(Math.max(high, 1)) / Math.log(this.unit));
    const marks = ticks(high / scale, 3).map((one) => one * scale);
    const y = (value) => bottom - (value / marks.at(-1)) * (bottom - edge.top);
    this.y = y;
    const right = this.#width - edge.right;
    this.cursor = svg("g.cursor", {});
    this.plot.replaceChildren(svg("svg.axes", { viewBox: `0 0 ${this.#width} ${height}`, width: this.#width, height, "aria-hidden": "true" },
      marks.map((value) => [
        svg("line.rule", { x1: edge.left, x2: right, y1: rounded(y(value)), y2: rounded(y(value)) }),
        svg("text.tick", { x: edge.left - 8, y: rounded(y(value) + 4), "text-anchor": "end" }, this.format(value)),
      ]),
      timeTicks(from, to, this.#width < 420 ? 4 : 7).map((time) => {
        const x = this.#x(time);
        const anchor = x > right - 16 ? "end" : "middle";
        return svg("text.tick", { x: rounded(x), y: height - 5, "text-anchor": anchor }, timeOfDay(time));
      }),
      series.map((values, index) => this.#line(times, values, index, y, bottom)),
      this.cursor));
    this.#choose(this.#pointed);
  }

  /** A line with gaps where there are no readings. */
  #line(times, values, index, y, bottom) {
    const runs = [];
    let run = [];
    values.forEach((value, at) => {
      // A pause of the server leaves a gap as well.
      const isApart = at > 0 && times[at] - times[at - 1] > 45_000;
      if ((value === null || isApart) && run.length > 0) {
        runs.push(run);
        run = [];
      }
      if (value !== null) run.push([rounded(this.#x(times[at])), rounded(y(value))]);
    });
    if (run.length > 0) runs.push(run);
    return runs.map((points) => {
      const path = points.map((one) => one.join(",")).join(" ");
      return [
        index === 0 && points.length > 1
          && svg("polygon.area", { points: `${points[0][0]},${bottom} ${path} ${points.at(-1)[0]},${bottom}` }),
        points.length > 1 ? svg(`polyline.line-${index}`, { points: path })
          : svg(`circle.dot-${index}`, { cx: points[0][0], cy: points[0][1], r: 2 }),
      ];
    });
  }

  // MARK: Reading single points

  #point(x) {
    if (this.#data === null) return;
    const { times } = this.#data;
    let best = null;
    times.forEach((time, index) => {
      if (best === null || Math.abs(this.#x(time) - x) < Math.abs(this.#x(times[best]) - x)) best = index;
    });
    this.#choose(best);
  }

  #key(event) {
    const count = this.#data?.times.length ?? 0;
    if (count === 0) return;
    const at = this.#pointed ?? count;
    const next = {
      ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: count - 1, PageUp: at - 30, PageDown: at + 30,
    }[event.key];
    if (event.key === "Escape") this.#choose(null);
    if (next === undefined) return;
    event.preventDefault();
    this.#choose(Math.min(count - 1, Math.max(0, next)));
    this.plot.setAttribute("aria-label", `${this.name}, ${this.reading.textContent}`);
  }

  #choose(index) {
    this.#pointed = index;
    this.cursor?.replaceChildren();
    if (index === null || this.#data === null || index >= this.#data.times.length) {
      this.reading.textContent = this.note;
      if (this.#data !== null) this.plot.setAttribute("aria-label", this.#sentence());
      return;
    }
    const { times, series } = this.#data;
    const x = rounded(this.#x(times[index]));
    this.cursor.append(svg("line.pointer", { x1: x, x2: x, y1: edge.top, y2: height - edge.bottom }),
      ...series.flatMap((values, line) => (values[index] === null ? []
        : [svg(`circle.dot-${line}`, { cx: x, cy: rounded(this.y(values[index])), r: 3 })])));
    const words = series.map((values, line) => {
      const value = values[index] === null ? "nothing" : this.format(values[index]);
      return this.lines[line] === "" ? value : `${this.lines[line]} ${value}`;
    });
    this.reading.textContent = `${exactTime(times[index])}: ${words.join(", ")}`;
  }
}
