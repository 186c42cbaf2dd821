// A proxy that keeps each response until its end, as some do in companies and on phones. A stream has no end.

import { createServer, request } from "node:http";

export class BufferingProxy {
  /** The requests that came, such as "GET /v1/schema". */
  heads = [];
  /** How many streams it keeps. */
  kept = 0;

  static async start(t, server) {
    const proxy = new BufferingProxy();
    const listener = createServer((incoming, outgoing) => {
      proxy.heads.push(`${incoming.method} ${incoming.url}`);
      const upstream = request(server.url + incoming.url, { method: incoming.method, headers: incoming.headers }, (response) => {
        const isStream = response.headers["content-type"] === "text/event-stream";
        if (isStream) proxy.kept += 1;
        response.on("close", () => { if (isStream) proxy.kept -= 1; });
        const chunks = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("error", () => outgoing.destroy());
        response.on("end", () => {
          const { "transfer-encoding": _, ...headers } = response.headers;
          outgoing.writeHead(response.statusCode, headers).end(Buffer.concat(chunks));
        });
      });
      upstream.on("error", () => outgoing.destroy());
      outgoing.on("close", () => upstream.destroy());
      incoming.pipe(upstream);
    });
    await new Promise((done) => listener.listen(0, server.address, done));
    proxy.url = `http://${server.address}:${listener.address().port}`;
    t.after(() => {
      listener.closeAllConnections();
      listener.close();
    });
    return proxy;
  }
}
