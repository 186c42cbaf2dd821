// Moving the elements of a list by their handles.

export class Dragging {
  #from = null;
  #item = null;
  #to = null;

  /** `move(from, to)` stores the new order; positions are those of the elements. It may throw. */
  constructor(list, move) {
    this.list = list;
    this.move = move;
    list.addEventListener("pointerdown", (event) => this.#begin(event));
    list.addEventListener("pointermove", (event) => this.#drag(event));
    list.addEventListener("pointerup", () => this.#end(true));
    list.addEventListener("pointercancel", () => this.#end(false));
  }

  #begin(event) {
    const handle = event.target.closest(".handle");
    if (!handle || event.button !== 0) return;
    event.preventDefault();
    this.#item = handle.closest(".element");
    this.#from = Number(this.#item.dataset.place);
    this.#to = this.#from;
    this.#item.classList.add("dragged");
    this.list.setPointerCapture(event.pointerId);
  }

  #drag(event) {
    if (this.#item === null) return;
    const others = [...this.list.querySelectorAll(".element")].filter((one) => one !== this.#item);
    const after = others.filter((one) => {
      const box = one.getBoundingClientRect();
      return event.clientY > box.top + box.height / 2;
    });
    this.#to = after.length;
    const next = others[after.length];
    if (next) next.before(this.#item);
    else others.at(-1)?.after(this.#item);
  }

  #end(isDone) {
    if (this.#item === null) return;
    this.#item.classList.remove("dragged");
    const [from, to] = [this.#from, this.#to];
    const item = this.#item;
    this.#item = null;
    if (isDone && from !== to) {
      Promise.resolve(this.move(from, to)).catch(() => this.#restore(item, from));
    } else if (from !== to) {
      this.#restore(item, from);
    }
  }

  /** Puts an element back where it was. */
  #restore(item, from) {
    const others = [...this.list.querySelectorAll(".element")].filter((one) => one !== item);
    if (others[from]) others[from].before(item);
    else this.list.append(item);
  }
}
