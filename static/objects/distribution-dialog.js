// The distribution of one property, large: a chart with axes, and the same numbers as a table whose rows narrow the query.

import { highest, sentence, share } from "../charts/distribution.js";
import { ticks } from "../charts/scales.js";
import { rounded, svg } from "../charts/svg.js";
import { tally } from "../core/values.js";
import { showDialog } from "../parts/dialog.js";
import { make } from "../parts/element.js";
import { button, table } from "../parts/ui.js";

const width = 640;
const height = 210;
const edge = { left: 52, right: 12, top: 10, bottom: 26 };
/** Of longer values the table shows two lines. */
const longLabel = 60;

export class DistributionDialog {
  #chart = make("div.distribution", {});
  #note = make("p.note", {});
  #rows = make("div", {});
  #shown = "";

  /** `on.choose(predicate)` narrows the query; `on.closed()` is called once. */
  constructor(answer, on) {
    this.property = answer.property;
    this.on = on;
    this.dialog = showDialog({
      title: answer.property.name, wide: true, cancel: "Close", body: make("div", {}, this.#chart, this.#note, this.#rows),
    });
    this.dialog.classList.add("distribution-dialog");
    this.dialog.addEventListener("close", () => on.closed());
    this.show(answer);
    this.dialog.querySelector(".buttons button")?.focus();
  }

  close() {
    this.dialog.close();
  }

  /** Shows another state of the same property. */
  show(answer) {
    const { bars, missing, others, total, form, version } = answer;
    // The title has the name already.
    const said = sentence(answer).slice(answer.property.name.length + 2);
    this.#note.textContent = `${said[0].toUpperCase()}${said.slice(1)}. Version ${version}.`;
    const shown = JSON.stringify([bars, missing, others], (_, one) => (typeof one === "bigint" ? String(one) : one));
    if (shown === this.#shown) return;
    this.#shown = shown;
    const most = highest(bars);
    this.#chart.hidden = form !== "bins" || most === null;
    if (!this.#chart.hidden) this.#chart.replaceChildren(this.#draw(bars, most.count));
    const rows = bars.filter((one) => one.count > 0).map((one) => [
      one.isNull ? make("span.null", {}, "null") : one.label === "" ? make("span.null", {}, "(empty)")
        : one.label.length > longLabel ? make("span.long", { title: one.label }, one.label) : one.label,
      tally(one.count), share(one.count, total),
      make("meter", { min: 0, max: most.count, value: one.count, "aria-hidden": "true" }),
      button("Only these", () => this.#choose(one), { label: `Only the objects with ${this.property.name} ${one.label}` }),
    ]);
    if (form === "bins" && missing > 0) rows.push([make("span.null", {}, "no value"), tally(missing), share(missing, total), "", ""]);
    if (others.groups > 0) {
      rows.push([make("span.null", {}, `${tally(others.groups)} other values`), tally(others.count), share(others.count, total), "", ""]);
    }
    const focused = this.#rows.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    this.#rows.replaceChildren(table(`Values of ${this.property.name}`,
      [form === "bins" ? "interval" : "value", { words: "objects", number: true }, { words: "share", number: true }, "", ""], rows));
    if (focused !== null) {
      [...this.#rows.querySelectorAll("button")].find((one) => one.getAttribute("aria-label") === focused)?.focus();
    }
  }

  #choose({ predicate }) {
    this.dialog.close();
    this.on.choose(predicate);
  }

  #draw(bars, most) {
    const [right, bottom] = [width - edge.right, height - edge.bottom];
    const lines = ticks(most);
    const top = lines.at(-1);
    const y = (count) => bottom - (count / top) * (bottom - edge.top);
    const step = (right - edge.left) / bars.length;
    // The table says the same in words, so the drawing is none for a screen reader.
    return svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
      lines.map((count) => [
        svg("line.rule", { x1: edge.left, x2: right, y1: rounded(y(count)), y2: rounded(y(count)) }),
        svg("text.tick", { x: edge.left - 8, y: rounded(y(count) + 4), "text-anchor": "end" }, tally(count)),
      ]),
      bars.map((one, index) => svg("g.choice-bar", { onclick: () => one.count > 0 && this.#choose(one) },
        svg("title", {}, `${one.label}: ${tally(one.count)}`),
        svg("rect.target", { x: rounded(edge.left + index * step), y: edge.top, width: rounded(step), height: bottom - edge.top }),
        one.count > 0 && svg("rect.bar", {
          x: rounded(edge.left + index * step + step * 0.06), width: rounded(step * 0.88),
          y: rounded(Math.min(bottom - 1.5, y(one.count))), height: rounded(Math.max(1.5, bottom - y(one.count))),
        }))),
      this.#labels(bars, step, bottom));
  }

  /** The lower bounds below the bars, as many as there is room for, and the last upper one. */
  #labels(bars, step, bottom) {
    const texts = [...bars.map((one) => boundText(one.from)), boundText(bars.at(-1).to)];
    const longest = Math.max(...texts.map((one) => one.length)) * 6.6 + 18;
    const every = Math.max(1, Math.ceil(longest / step));
    return texts.map((words, index) => {
      if (index % every !== 0) return null;
      const x = edge.left + index * step;
      const anchor = x + longest / 2 > width ? "end" : "middle";
      return svg("text.tick", { x: rounded(x), y: bottom + 18, "text-anchor": anchor }, words);
    });
  }
}

function boundText(bound) {
  return String(bound).replace(/T00:00:00Z$/, "").replace("T", " ").replace(/(:\d\d)(:00)?Z$/, "$1");
}
