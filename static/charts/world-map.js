// A map of the world with dots, which is moved and zoomed by pointer, wheel and keys.

import { make } from "../parts/element.js";
import { iconButton } from "../parts/ui.js";
import { latitudeOf, longitudeOf, size, worldPath, xOf, yOf } from "./projection.js";
import { svg } from "./svg.js";

const closest = 4000;
/** How near, in pixels, the pointer must be to a dot. */
const reach = 14;
let path = null;

export class WorldMap {
  /** What is shown: the middle in the map's units, and pixels per unit. */
  #view = { x: size / 2, y: size / 2, scale: 0.2 };
  #points = [];
  #pointed = null;
  #drag = null;
  #frame = 0;
  #isFitted = true;

  /** `on.open(point)` when a dot is pressed, `on.moved()` when another part of the world is in view. */
  constructor(label, on) {
    this.on = on;
    path ??= worldPath();
    this.land = svg("path.land", { d: path });
    this.dots = svg("path.dots", {});
    this.mark = svg("circle.mark", { r: 6, visibility: "hidden" });
    this.world = svg("g", {}, this.land, this.dots);
    this.svg = svg("svg", { "aria-hidden": "true" }, this.world, this.mark);
    this.hint = make("p.map-hint", { hidden: true, "aria-hidden": "true" });
    this.plot = make("div.map-plot", { tabindex: "0", role: "group", "aria-label": label, "aria-description": "Arrow keys move the map, plus and minus zoom, 0 shows all." },
      this.svg, this.hint);
    this.root = make("div.map", {}, this.plot,
      make("div.map-tools", {}, iconButton("+", "Zoom in", () => this.#zoom(1.6)), iconButton("−", "Zoom out", () => this.#zoom(1 / 1.6)),
        iconButton("◎", "Show all", () => this.fit())));
    this.#listen();
    new ResizeObserver(() => (this.#isFitted ? this.fit() : this.#moved())).observe(this.plot);
  }

  /** Shows dots: `[{latitude, longitude, …}]`. A part in view that the reader chose stays, unless `fits`. */
  show(points, fits) {
    this.#points = points.map((one) => ({ ...one, x: xOf(one.longitude), y: yOf(one.latitude) }));
    // Lines without length whose ends are round: one element for thousands of dots, which keep their size.
    this.dots.setAttribute("d", this.#points.map((one) => `M${one.x.toFixed(2)} ${one.y.toFixed(2)}h0`).join(""));
    this.dots.classList.toggle("crowded", points.length > 1000);
    this.#point(null);
    if (fits || this.#isFitted) this.fit();
    else this.on.moved();
  }

  /** Shows all dots, or the world when there are none. */
  fit() {
    this.#isFitted = true;
    const { clientWidth: width, clientHeight: height } = this.plot;
    if (width === 0) return;
    const points = this.#points.length > 0 ? this.#points : [{ x: 0, y: size * 0.12 }, { x: size, y: size * 0.72 }];
    const xs = points.map((one) => one.x);
    const ys = points.map((one) => one.y);
    const range = (values) => values.reduce(([low, high], one) => [Math.min(low, one), Math.max(high, one)], [Infinity, -Infinity]);
    const [left, right] = range(xs);
    const [top, bottom] = range(ys);
    this.#view = {
      x: (left + right) / 2, y: (top + bottom) / 2,
      scale: Math.min((width - 48) / Math.max(right - left, 20), (height - 48) / Math.max(bottom - top, 20)),
    };
    this.#moved();
  }

  /** The bounds of what is in view, in degrees. */
  get bounds() {
    const [halfWidth, halfHeight] = [this.plot.clientWidth / 2 / this.#view.scale, this.plot.clientHeight / 2 / this.#view.scale];
    const { x, y } = this.#view;
    return {
      west: Math.max(-180, longitudeOf(x - halfWidth)), east: Math.min(180, longitudeOf(x + halfWidth)),
      south: Math.max(-90, latitudeOf(y + halfHeight)), north: Math.min(90, latitudeOf(y - halfHeight)),
    };
  }

  /** The dots in view, those in the middle first. */
  get inView() {
    const { west, east, south, north } = this.bounds;
    const { x, y } = this.#view;
    return this.#points
      .filter((one) => one.longitude >= west && one.longitude <= east && one.latitude >= south && one.latitude <= north)
      .sort((one, other) => Math.hypot(one.x - x, one.y - y) - Math.hypot(other.x - x, other.y - y));
  }

  // MARK: Moving

  #zoom(factor, at = { x: this.plot.clientWidth / 2, y: this.plot.clientHeight / 2 }) {
    const { x, y, scale } = this.#view;
    const next = Math.max(0.05, Math.min(closest, scale * factor));
    const [dx, dy] = [at.x - this.plot.clientWidth / 2, at.y - this.plot.clientHeight / 2];
    // What is under the pointer stays there.
    this.#turn({ x: x + dx / scale - dx / next, y: y + dy / scale - dy / next, scale: next });
  }

  #turn(view) {
    this.#isFitted = false;
    this.#view = { ...view, x: Math.max(0, Math.min(size, view.x)), y: Math.max(0, Math.min(size, view.y)) };
    this.#moved();
  }

  #moved() {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      const { x, y, scale } = this.#view;
      const { clientWidth: width, clientHeight: height } = this.plot;
      this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      this.world.setAttribute("transform", `translate(${width / 2 - x * scale} ${height / 2 - y * scale}) scale(${scale})`);
      this.#point(this.#pointed);
      this.on.moved();
    });
  }

  #screen({ x, y }) {
    return {
      x: (x - this.#view.x) * this.#view.scale + this.plot.clientWidth / 2,
      y: (y - this.#view.y) * this.#view.scale + this.plot.clientHeight / 2,
    };
  }

  #nearest(at) {
    let best = null;
    let least = reach;
    for (const one of this.#points) {
      const there = this.#screen(one);
      const distance = Math.hypot(there.x - at.x, there.y - at.y);
      if (distance < least) [best, least] = [one, distance];
    }
    return best;
  }

  #point(point) {
    this.#pointed = point;
    this.hint.hidden = point === null;
    this.mark.setAttribute("visibility", point === null ? "hidden" : "visible");
    this.plot.classList.toggle("pointing", point !== null);
    if (point === null) return;
    const { x, y } = this.#screen(point);
    this.mark.setAttribute("cx", x.toFixed(1));
    this.mark.setAttribute("cy", y.toFixed(1));
    this.hint.textContent = point.label;
    this.hint.classList.toggle("leftward", x > this.plot.clientWidth / 2);
    this.hint.style.setProperty("--x", `${x}px`);
    this.hint.style.setProperty("--y", `${y}px`);
  }

  #listen() {
    const { plot } = this;
    const placeOf = (event) => {
      const box = plot.getBoundingClientRect();
      return { x: event.clientX - box.x, y: event.clientY - box.y };
    };
    plot.addEventListener("wheel", (event) => {
      // A page that is scrolled must not be held by the map that it passes.
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== plot) return;
      event.preventDefault();
      this.#zoom(1.0015 ** -event.deltaY, placeOf(event));
    }, { passive: false });
    plot.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.#drag = { from: placeOf(event), view: this.#view, isMoved: false };
      plot.setPointerCapture(event.pointerId);
    });
    plot.addEventListener("pointermove", (event) => {
      const at = placeOf(event);
      if (this.#drag === null) {
        this.#point(this.#nearest(at));
        return;
      }
      const { from, view } = this.#drag;
      if (Math.hypot(at.x - from.x, at.y - from.y) > 4) this.#drag.isMoved = true;
      if (this.#drag.isMoved) this.#turn({ ...view, x: view.x - (at.x - from.x) / view.scale, y: view.y - (at.y - from.y) / view.scale });
    });
    plot.addEventListener("pointerup", (event) => {
      const isPress = this.#drag !== null && !this.#drag.isMoved;
      this.#drag = null;
      const found = isPress ? this.#nearest(placeOf(event)) : null;
      if (found !== null) this.on.open(found);
    });
    plot.addEventListener("pointercancel", () => {
      this.#drag = null;
    });
    plot.addEventListener("pointerleave", () => this.#point(null));
    plot.addEventListener("dblclick", (event) => this.#zoom(2, placeOf(event)));
    plot.addEventListener("keydown", (event) => {
      const { x, y, scale } = this.#view;
      const step = 80 / scale;
      const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
      const actions = { "+": () => this.#zoom(1.6), "=": () => this.#zoom(1.6), "-": () => this.#zoom(1 / 1.6), 0: () => this.fit() };
      const move = moves[event.key];
      const action = move ? () => this.#turn({ x: x + move[0], y: y + move[1], scale }) : actions[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      action();
    });
  }
}
