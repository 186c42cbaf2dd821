import assert from "node:assert/strict";
import { test } from "node:test";
import { EventStream } from "../lib/events.js";
import { Transport } from "../lib/transport.js";
import { Clock } from "./support/clock.js";

/** A stream to a server of which the test is every part, on a clock that the test turns. */
function start(t) {
  const clock = new Clock(t);
  const site = { clock, requests: 0, isUp: true, comesOnOpening: "", lost: [] };
  const fetch = async (_, { signal }) => {
    site.requests += 1;
    if (!site.isUp) throw new TypeError("fetch failed");
    const body = new ReadableStream({
      start: (controller) => {
        site.write = (text) => controller.enqueue(new TextEncoder().encode(text));
        site.cut = () => controller.error(new TypeError("terminated"));
        signal.addEventListener("abort", () => { try { site.cut(); } catch { /* It is closed. */ } });
      },
    });
    site.write(site.comesOnOpening);
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  };
  const on = { event: () => {}, lost: (error) => site.lost.push(error.code), failed: (error) => assert.fail(error) };
  site.stream = new EventStream(new Transport("http://server", { fetch }), "/v1/observe/objects/Card", {}, on);
  t.after(() => site.stream.stop());
  /** The milliseconds until the next request, to a tenth of a second. */
  site.pause = async () => {
    const { requests } = site;
    let passed = 0;
    for (; site.requests === requests; passed += 100) {
      assert.ok(passed < 60_000, "no request comes");
      await clock.advance(100);
    }
    return passed;
  };
  return site;
}

test("a stream without events that lasts is connected again without growing pauses", async (t) => {
  const site = start(t);
  const pauses = [];
  for (let cut = 0; cut < 9; cut += 1) {
    await site.clock.advance(1500);
    site.cut();
    pauses.push(await site.pause());
  }
  assert.deepEqual(pauses, Array(9).fill(500));
});

test("a server that accepts and drops at once is asked with growing pauses, until a stream lasts", async (t) => {
  const site = start(t);
  const pauses = [];
  for (let drop = 0; drop < 9; drop += 1) {
    await site.clock.advance(10);
    site.cut();
    pauses.push(await site.pause());
  }
  assert.deepEqual(pauses, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  // As long as the pause before it would be too much to ask of a stream.
  await site.clock.advance(5001);
  site.cut();
  assert.equal(await site.pause(), 500);
  await site.clock.advance(10);
  site.cut();
  assert.equal(await site.pause(), 1000);
});

test("pauses begin anew after an outage that a quiet stream followed", async (t) => {
  const site = start(t);
  await site.clock.settle();
  site.isUp = false;
  site.cut();
  for (let failure = 0; failure < 8; failure += 1) await site.pause();
  site.isUp = true;
  assert.equal(await site.pause(), 30_000);
  await site.clock.advance(6000);
  site.cut();
  assert.equal(await site.pause(), 500);
});

test("an event shows at once that the server is well, one that does not fit does not", async (t) => {
  const site = start(t);
  const drop = async (text) => {
    await site.clock.settle();
    site.write(text);
    await site.clock.advance(10);
    site.cut();
    return site.pause();
  };
  const event = 'event: update\nid: 1\ndata: {"version":1}\n\n';
  const pauses = [];
  for (const text of ["", "", "", event, event, ": a comment\n\n"]) pauses.push(await drop(text));
  assert.deepEqual(pauses, [500, 1000, 2000, 500, 500, 1000]);
  // The client ends these streams itself.
  site.comesOnOpening = "event: update\ndata: {!\n\n";
  site.cut();
  await site.pause();
  const later = [await site.pause(), await site.pause(), await site.pause()];
  assert.ok(later[0] < later[1] && later[1] < later[2], `${later}`);
});

test("a stream in which not even a comment comes is given up after the silence", async (t) => {
  const site = start(t);
  await site.clock.advance(40_000);
  site.write(":\n");
  await site.clock.advance(40_000);
  assert.equal(site.requests, 1);
  await site.clock.advance(20_000);
  assert.equal(site.requests, 2);
  assert.deepEqual(site.lost, ["connection.failed"]);
});
