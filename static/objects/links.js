// Where the links of objects lead.

import { Link } from "../client/realmgate.js";
import { own } from "../core/json.js";
import { escapedName } from "../core/path.js";
import { objectAddress, routeAddress } from "../core/route.js";
import { literal } from "../core/values.js";

/**
 * The route that a link of `object` leads to, as `{href, title}`: the object that it names; for linking objects, the
 * objects that point here. Null where there is no address for it.
 */
export function linkAddress(schema, objectClass, object, property, value, snapshot = "") {
  const target = schema.class(property.target);
  if (!target) return null;
  if (property.kind === "backlinks") {
    const key = objectClass.keyProperty;
    if (!key) return null;
    const filter = `${isMany(target, property.origin) ? "ANY " : ""}${escapedName(property.origin)}.${key.path} == ${
      literal(own(object, key.name), key)}`;
    return { href: routeAddress({ className: target.name, filter, snapshot }), title: `${target.name} where ${filter}` };
  }
  return targetAddress(schema, target, value, snapshot);
}

/** The route of an object that a link's value names. */
export function targetAddress(schema, target, value, snapshot = "") {
  if (value === null || value === undefined) return null;
  if (value instanceof Link) {
    const { class: name, key } = value;
    return { href: objectAddress(name, String(key), snapshot), title: `${name} ${key}` };
  }
  if (!target) return null;
  const key = typeof value === "object" ? target.keyOf(value) : String(value);
  return { href: objectAddress(target.name, key, snapshot), title: `${target.name} ${key}` };
}

function isMany(origin, name) {
  return origin.property(name)?.kind === "collection";
}
