// Followers of their own, for what no subscription set carries.

import { EventStream } from "./events.js";
import { plain } from "./hub.js";

/**
 * Streams, or what stands in for them, at most so many at once. Where there are more members, each has a turn until it has
 * what it missed, because a stream is resumed after its last event.
 */
export class Turns {
  #open = new Map();
  #waiting = [];

  constructor(transport, options, most, Poll) {
    const { most: mostPolls = Infinity, turn: least = 300 } = Poll || {};
    Object.assign(this, { transport, options, most: Math.min(most, mostPolls), Follower: Poll || EventStream, reads: Boolean(Poll), least });
  }

  add(member) {
    this.#waiting.push(member);
    this.#next();
  }

  remove(member) {
    this.#waiting = this.#waiting.filter((one) => one !== member);
    if (this.#open.has(member)) this.#close(member);
    this.#next();
  }

  #next() {
    while (this.#waiting.length > 0 && this.#open.size < this.most) {
      const member = this.#waiting.shift();
      this.#open.set(member, { stream: this.#begin(member), timer: null, since: Date.now() });
    }
    if (this.#waiting.length > 0) for (const member of this.#open.keys()) this.#heard(member);
  }

  #begin(member) {
    const { path, parameters, read = parameters } = member.spec;
    const stream = new this.Follower(this.transport, path, this.reads ? read : parameters, {
      open: () => {
        stream.isOpen = true;
        member.post("open");
        this.#heard(member);
      },
      event: (type, text, id) => {
        // Parts of a long event have an empty id.
        member.post("event", type, text, id?.length === 0);
        if (type === "deleted") member.stop();
        this.#heard(member);
      },
      lost: (error) => {
        stream.isOpen = false;
        // Those without a turn would not connect either.
        for (const one of [member, ...this.#waiting]) one.post("lost", plain(error));
      },
      failed: (error) => {
        member.stop();
        member.post("failed", plain(error));
      },
    }, { ...this.options, lastEventID: member.lastEventID });
    return stream;
  }

  #close(member) {
    const { stream, timer } = this.#open.get(member);
    clearTimeout(timer);
    stream.stop();
    this.#open.delete(member);
    return stream.lastEventID;
  }

  /** Something came. The turn ends when nothing more comes, or when it has lasted. */
  #heard(member) {
    const turn = this.#open.get(member);
    if (turn === undefined || this.#waiting.length === 0) return;
    clearTimeout(turn.timer);
    turn.timer = setTimeout(() => {
      // Without a mark, the stream has not had its first event, or is within a long one.
      if (turn.stream.lastEventID === "" || !turn.stream.isOpen || this.#waiting.length === 0) return;
      member.lastEventID = this.#close(member);
      this.add(member);
    }, Date.now() - turn.since > 2000 ? 0 : this.least);
  }
}
