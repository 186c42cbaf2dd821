// Where the links of objects lead.

import { placeAddress } from "./place.js";
import { literal } from "./values.js";

/**
 * The view that a link of `object` leads to, as `{href, title}`: the class it points to, cut down to what it points at;
 * for linking objects, to those that point here. Null where there is no predicate that says so.
 */
export function linkAddress(schema, objectClass, object, property, value) {
  const target = schema.class(property.target);
  if (!target) return null;
  const filter = property.kind === "backlinks" ? originFilter(objectClass, object, property) : keyFilter(target, value);
  if (filter === null) return null;
  return { href: placeAddress({ className: target.name, filter, sort: [] }), title: `${target.name} where ${filter}` };
}

function originFilter(objectClass, object, property) {
  const key = objectClass.keyProperty;
  return key && `${property.origin}.${key.name} == ${literal(object[key.name], key)}`;
}

function keyFilter(target, value) {
  const key = target.keyProperty;
  return key && `${key.name} == ${literal(value, key)}`;
}
