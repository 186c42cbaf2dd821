// A TCP proxy between client and server, which injects faults. It decides nothing by itself: what it does to a
// connection depends on its own settings and on what arrives, not on time.

import { createServer, connect } from "node:net";

const isRequest = /^(GET|POST|PUT|PATCH|DELETE) /;

export class Proxy {
  #connections = new Set();
  /** Called with the first line of each request, and with all of it: returns `{status, headers, body}` to answer in place of the server, or nothing. */
  refuse = () => null;
  /** Called with the head of each request: whether it waits for `release()`. */
  holds = () => false;
  /** What the client is given of bytes from the server; null cuts, and so does setting `isLast` after what is given. */
  filter = (bytes) => bytes;
  #isStalled = false;
  /** The connections that a client gave up while nothing came. */
  abandoned = 0;

  static async start(t, server) {
    const proxy = new Proxy();
    proxy.listener = createServer((socket) => proxy.#accept(socket, server));
    await new Promise((done) => proxy.listener.listen(0, server.address, done));
    proxy.url = `http://${server.address}:${proxy.listener.address().port}`;
    t.after(() => {
      proxy.cut();
      proxy.listener.close();
    });
    return proxy;
  }

  #accept(socket, server) {
    const upstream = connect(server.port, server.address);
    const state = { socket, upstream, head: "", held: null, isLost: false, isLast: false };
    this.#connections.add(state);
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#connections.delete(state);
      if (state.isLost) this.abandoned += 1;
      upstream.destroy();
    });
    upstream.on("error", () => socket.destroy());
    // The end comes after the last bytes.
    upstream.on("close", () => socket.end());
    socket.on("data", (bytes) => {
      const text = bytes.toString("latin1");
      if (isRequest.test(text)) {
        state.head = text.split("\r\n")[0];
        const refusal = this.refuse(state.head, text);
        if (refusal) {
          const { status, headers = {}, body = "" } = refusal;
          const lines = Object.entries({ "Content-Length": Buffer.byteLength(body), Connection: "close", ...headers });
          socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`);
          return;
        }
        if (this.holds(state.head)) state.held = [];
      }
      if (this.#isStalled) state.isLost = true;
      else if (state.held) state.held.push(bytes);
      else upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (this.#isStalled) {
        state.isLost = true;
        return;
      }
      const passed = state.isLost ? null : this.filter(bytes, state);
      if (passed === null) socket.destroy();
      else if (!socket.writableEnded) socket.write(passed);
      if (state.isLast) socket.end();
    });
  }

  /** How many requests wait. */
  get held() { return [...this.#connections].filter(({ held }) => held !== null).length; }

  /** Lets requests pass that were held, and holds no more. */
  release() {
    this.holds = () => false;
    for (const state of this.#connections) {
      for (const bytes of state.held ?? []) state.upstream.write(bytes);
      state.held = null;
    }
  }

  /** Nothing passes any more, in either direction; the client is not told. */
  stall() {
    this.#isStalled = true;
    for (const state of this.#connections) state.isLost = true;
  }

  /** Ends a stall. What was sent meanwhile is lost, so its connections are, too: no client can notice a gap in a stream. */
  flow() {
    this.#isStalled = false;
    for (const state of this.#connections) {
      if (!state.isLost) continue;
      state.isLost = false;
      state.socket.destroy();
    }
  }

  /** Cuts all connections. */
  cut() {
    for (const { socket } of this.#connections) socket.destroy();
  }
}
