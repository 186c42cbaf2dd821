// Small charts of what was measured lately, drawn as SVG.

import { make } from "./element.js";

const space = "http://www.w3.org/2000/svg";
const width = 240;
const height = 56;

/** A figure with its name, its present value in words, and the line that led there. */
export class Chart {
  constructor(name, { note = "" } = {}) {
    this.value = make("p.chart-value", {}, "–");
    this.svg = document.createElementNS(space, "svg");
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("preserveAspectRatio", "none");
    this.svg.setAttribute("aria-hidden", "true");
    this.root = make("section.chart", { "aria-label": name }, make("h3", {}, name), this.value, this.svg, make("p.note", {}, note));
    this.remark = this.root.lastChild;
  }

  /** Draws lines, each of numbers or nulls, the latest last; all share one scale that begins at zero. */
  draw(lines, words, remark = null) {
    this.value.textContent = words;
    if (remark !== null) this.remark.textContent = remark;
    const highest = Math.max(1e-9, ...lines.flat().filter((one) => one !== null));
    this.svg.replaceChildren(...lines.flatMap((line, index) => this.#line(line, highest, index)));
  }

  #line(values, highest, index) {
    const step = width / Math.max(1, values.length - 1);
    const points = values.flatMap((value, at) =>
      value === null ? [] : [`${(at * step).toFixed(1)},${(height - 3 - (value / highest) * (height - 8)).toFixed(1)}`]);
    if (points.length < 2) return [];
    const made = [];
    if (index === 0) {
      const area = document.createElementNS(space, "polygon");
      area.setAttribute("points", `${points[0].split(",")[0]},${height} ${points.join(" ")} ${width},${height}`);
      area.setAttribute("class", "area");
      made.push(area);
    }
    const line = document.createElementNS(space, "polyline");
    line.setAttribute("points", points.join(" "));
    line.setAttribute("class", `line-${index}`);
    line.setAttribute("vector-effect", "non-scaling-stroke");
    made.push(line);
    return made;
  }
}
