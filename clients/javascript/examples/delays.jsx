// A live list in React.

import * as React from "react";
import { Realmgate } from "realmgate";
import { hooks } from "realmgate/react";

const { useQuery } = hooks(React);
const db = new Realmgate("http://127.0.0.1:8080");

export function Delays({ state }) {
  const { items, error } = useQuery(
    () => db.objects("Flight").filter("delay > 60 AND origin.state == $0", state).sort("-delay").limit(20), [state]);
  if (error) return <p role="alert">{error.message}</p>;
  if (!items) return <p>Connecting…</p>;
  return <ol>{items.map((flight) => <li key={flight.id}>{flight.carrier}: {String(flight.delay)} minutes</li>)}</ol>;
}
