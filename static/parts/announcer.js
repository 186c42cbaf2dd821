// Announces changes to screen readers, at most every few seconds.

const pause = 3000;

export class Announcer {
  #heard = [0, 0, 0];
  #timer = null;

  constructor(region) {
    this.region = region;
  }

  say(sentence) {
    this.region.textContent = sentence;
  }

  changed(changes) {
    [changes.inserted, changes.modified, changes.removed].forEach((part, index) => {
      this.#heard[index] += part.size;
    });
    this.#timer ??= setTimeout(() => {
      const kinds = ["inserted", "modified", "deleted"];
      this.say(this.#heard.flatMap((count, index) => (count > 0 ? `${count} ${kinds[index]}` : [])).join(", "));
      this.#heard = [0, 0, 0];
      this.#timer = null;
    }, pause);
  }
}
