// The last minute of changes as a row of small bars: inserted, modified, deleted. The canvas has two pixels for each
// pixel of the page.

const seconds = 60;

export class Pulse {
  #bars = [];
  #timer = null;

  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    document.addEventListener("visibilitychange", () => this.draw());
  }

  add(changes) {
    const second = Math.floor(Date.now() / 1000);
    let bar = this.#bars.at(-1);
    if (!bar || bar.second !== second) {
      bar = { second, counts: [0, 0, 0] };
      this.#bars.push(bar);
    }
    bar.counts[0] += changes.inserted.size;
    bar.counts[1] += changes.modified.size;
    bar.counts[2] += changes.removed.size;
    this.draw();
    this.#timer ??= setInterval(() => this.draw(), 1000);
  }

  clear() {
    this.#bars = [];
    this.draw();
  }

  /** A colour of the style sheet as it is in the present theme: a canvas cannot read the sheet's own form. */
  #colour(name) {
    this.canvas.style.color = `var(${name})`;
    return getComputedStyle(this.canvas).color;
  }

  draw() {
    const now = Math.floor(Date.now() / 1000);
    this.#bars = this.#bars.filter((bar) => now - bar.second < seconds);
    if (this.#bars.length === 0) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
    const { canvas, context } = this;
    const colours = ["--inserted", "--modified", "--deleted"].map((name) => this.#colour(name));
    const step = canvas.width / seconds;
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = this.#colour("--line");
    context.fillRect(0, canvas.height - 2, canvas.width, 2);
    for (const { second, counts } of this.#bars) {
      const left = canvas.width - (now - second + 1) * step;
      let bottom = canvas.height - 4;
      counts.forEach((count, index) => {
        if (count === 0) return;
        const height = Math.min(bottom - 1, 6 + 8 * Math.log2(count));
        context.fillStyle = colours[index];
        context.fillRect(left, bottom - height, step - 2, height);
        bottom -= height + 2;
      });
    }
  }
}
