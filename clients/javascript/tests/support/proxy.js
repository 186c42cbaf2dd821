// A TCP proxy between client and server, which injects faults.

import { createServer, connect } from "node:net";

export class Proxy {
  #sockets = new Set();
  /** Called with each new connection: returns `{status, headers}` to answer in place of the server, or nothing. */
  refuse = () => null;
  /** Changes or withholds bytes from the server: `(bytes, connection) => bytes | null`. */
  filter = (bytes) => bytes;
  isStalled = false;
  connections = 0;

  static async start(t, server) {
    const proxy = new Proxy();
    proxy.listener = createServer((socket) => proxy.#accept(socket, server));
    await new Promise((done) => proxy.listener.listen(0, "127.0.0.1", done));
    proxy.url = `http://127.0.0.1:${proxy.listener.address().port}`;
    t.after(() => {
      proxy.cut();
      proxy.listener.close();
    });
    return proxy;
  }

  #accept(socket, server) {
    this.connections += 1;
    const state = { sent: 0, isStream: false };
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    const upstream = connect(server.port, "127.0.0.1");
    upstream.on("error", () => socket.destroy());
    upstream.on("close", () => socket.destroy());
    socket.on("close", () => upstream.destroy());
    socket.on("data", (bytes) => {
      const head = bytes.toString("latin1");
      if (/^(GET|POST|PUT|PATCH|DELETE) /.test(head)) {
        state.head = head.split("\r\n")[0];
        const refusal = this.refuse(state.head);
        if (refusal) {
          const { status, headers = {}, body = "" } = refusal;
          const lines = Object.entries({ "Content-Length": Buffer.byteLength(body), Connection: "close", ...headers });
          socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`);
          return;
        }
      }
      if (!this.isStalled) upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (this.isStalled) return;
      const passed = this.filter(bytes, state);
      state.sent += bytes.length;
      if (passed === null) socket.destroy();
      else socket.write(passed);
    });
  }

  /** Cuts all connections. */
  cut() {
    for (const socket of this.#sockets) socket.destroy();
  }
}
