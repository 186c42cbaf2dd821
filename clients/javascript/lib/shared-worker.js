// The shared worker: pages of one origin have their live results from here.

import { hold } from "./sharing.js";
import { load, persist } from "./transport.js";
import { randomUUID } from "./values.js";

const hasReception = persist(async () => new (await load(() => import("./reception.js"))).Reception());
/** Pages notice by it when this worker ends. */
const lock = globalThis.navigator?.locks ? `realmgate worker ${randomUUID()}` : undefined;
const isHeld = lock ? new Promise((done) => { hold(lock, done); }) : null;

globalThis.onconnect = async ({ ports: [port] }) => {
  await isHeld;
  const reception = await hasReception;
  const receive = reception.connect((message) => port.postMessage(message), () => port.close(), lock);
  port.onmessage = ({ data }) => receive(data);
};
