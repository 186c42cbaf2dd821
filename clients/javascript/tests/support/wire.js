// A fetch that damages event streams between the network and the client, in ways that a client can notice: a stream has
// no checksums, so other damage is none that it could be asked to survive.

export class Wire {
  /** What the client is given of the next bytes of a stream: `(text, state) => [text, …]`, or null for all as they are. */
  change = null;

  fetch = async (url, options) => {
    const response = await fetch(url, options);
    if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) return response;
    const state = { isBetweenEvents: true };
    const damage = new TransformStream({
      transform: (bytes, controller) => {
        const text = Buffer.from(bytes).toString("latin1");
        for (const part of this.change?.(text, state) ?? [text]) controller.enqueue(Buffer.from(part, "latin1"));
        state.isBetweenEvents = text.endsWith("\n\n");
      },
    });
    return new Response(response.body.pipeThrough(damage), { status: response.status, headers: response.headers });
  };
}
