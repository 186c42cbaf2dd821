// Undoing a deletion. A snapshot that is made before it keeps the objects and the links to them for a time.

import { paths } from "../core/api.js";
import { own, same } from "../core/json.js";
import { fromInput, literal } from "../core/values.js";
import { Link } from "../client/realmgate.js";

/** How long a deletion can be undone, in seconds. */
export const undoTime = 120;
/** More objects than this are deleted for good. */
export const mostUndone = 1000;

/** Objects for one request. */
const batch = 200;

const isLink = (property, schema) => property.target !== null && property.kind !== "backlinks"
  && schema.class(property.target)?.isEmbedded === false;

/** The key of an object as a transaction names it. */
export function keyValue(objectClass, key) {
  return fromInput(key, objectClass.keyProperty ?? { kind: "int" });
}

/** Keeps the present version. Throws where the gateway has no room for it, or does not permit it. */
export async function keepVersion(gateway) {
  return (await gateway.request("POST", paths.snapshots, { query: { ttl: undoTime } })).snapshot;
}

/** Creates the objects again as they were in the snapshot, and restores the links to them. */
export async function restore(gateway, schema, objectClass, keys, snapshot) {
  const objects = [...(await read(gateway, objectClass, keys, { snapshot })).values()];
  const linked = await linksTo(gateway, schema, objectClass, keys, snapshot);
  const links = objectClass.properties.filter((one) => isLink(one, schema)).map((one) => one.name);
  await gateway.transaction((transaction) => {
    // The objects may link to each other, so all are there before their links.
    const made = objects.map((object) => transaction.create(objectClass.name, Object.fromEntries(
      Object.entries(object).filter(([name]) => name !== "$key" && !links.includes(name)))));
    objects.forEach((object, index) => {
      const members = links.map((name) => [name, own(object, name)]).filter(([, value]) => value !== null && value !== undefined);
      if (members.length > 0) made[index].update(Object.fromEntries(members));
    });
    for (const { origin, key, name, value } of linked) {
      transaction.object(origin.name, keyValue(origin, key)).update({ [name]: value });
    }
  });
  return { objects: objects.length, links: linked.length };
}

/** Embedded objects within embedded objects are searched for links this deep. */
const deepest = 4;

/**
 * The paths from a class to links to another one: `{property, path, isMany}`, where `property` is of the class itself and
 * `path` leads through embedded objects to the link.
 */
function waysTo(schema, origin, target, depth = 0) {
  return origin.properties.flatMap((property) => {
    const owner = property.target === null ? null : schema.class(property.target);
    if (owner === null || property.kind === "backlinks") return [];
    const isMany = property.kind === "collection";
    const step = property.type.endsWith("{}") ? `${property.path}.@values` : property.path;
    if (!owner.isEmbedded) return property.target === target ? [{ property, path: step, isMany }] : [];
    if (depth === deepest) return [];
    return waysTo(schema, owner, target, depth + 1).map((way) => ({ property, path: `${step}.${way.path}`, isMany: isMany || way.isMany }));
  });
}

/** A value as it is after the deletion: without the links to what is gone, which are null, or left out of lists and sets. */
function without(schema, property, value, target, isGone) {
  if (value === null || value === undefined) return value;
  const owner = schema.class(property.target);
  const one = (element) => {
    if (!owner.isEmbedded) return isGone(element) ? null : element;
    if (element === null) return null;
    return Object.fromEntries(Object.entries(element).map(([name, inner]) => {
      const innerProperty = owner.property(name);
      const leads = innerProperty?.target != null && innerProperty.kind !== "backlinks"
        && (innerProperty.target === target || schema.class(innerProperty.target)?.isEmbedded);
      return [name, leads ? without(schema, innerProperty, inner, target, isGone) : inner];
    }));
  };
  if (property.kind !== "collection") return one(value);
  if (property.type.endsWith("{}")) return Object.fromEntries(Object.entries(value).map(([key, element]) => [key, one(element)]));
  const kept = owner.isEmbedded ? value : value.filter((element) => !isGone(element));
  return kept.map(one);
}

/** The links to the objects that the deletion has removed, and that nothing has replaced since. */
async function linksTo(gateway, schema, objectClass, keys, snapshot) {
  const keyProperty = objectClass.keyProperty;
  // Objects without a primary key come back with another key: nothing can name them before.
  if (keyProperty === null) return [];
  const literals = `{${keys.map((key) => literal(keyValue(objectClass, key), keyProperty)).join(", ")}}`;
  const gone = new Set(keys);
  const isGone = (value) => gone.has(String(value instanceof Link ? value.key : value));
  const found = [];
  for (const origin of schema.classes.filter((one) => !one.isEmbedded)) {
    const ways = waysTo(schema, origin, objectClass.name);
    for (const property of new Set(ways.map((one) => one.property))) {
      const filter = ways.filter((one) => one.property === property)
        .map(({ path, isMany }) => `${isMany ? "ANY " : ""}${path}.${keyProperty.path} IN ${literals}`).join(" OR ");
      const fields = origin.primaryKey === null ? undefined : `${origin.primaryKey},${property.name}`;
      const { items } = await gateway.request("GET", paths.collection(origin.name), {
        query: { filter, fields, limit: mostUndone, snapshot },
      });
      const present = await read(gateway, origin, items.map((one) => origin.keyOf(one)), { fields });
      for (const before of items) {
        const key = origin.keyOf(before);
        const now = present.get(key);
        if (now === undefined || (origin === objectClass && gone.has(key))) continue;
        const [old, value] = [own(before, property.name), own(now, property.name)];
        if (same(value, without(schema, property, old, objectClass.name, isGone))) {
          found.push({ origin, key, name: property.name, value: old });
        }
      }
    }
  }
  return found;
}

/**
 * Gives a property of objects the values back that it had in the snapshot, as far as it still has the value that an edit
 * has made. Returns how many objects are as they were, and how many have changed since.
 */
export async function revertValues(gateway, objectClass, keys, { name }, made, snapshot) {
  const before = await read(gateway, objectClass, keys, { snapshot });
  const now = await read(gateway, objectClass, keys, {});
  const isUnchanged = (key) => same(own(now.get(key), name), made);
  const present = keys.filter((key) => before.has(key) && now.has(key));
  const reverted = present.filter(isUnchanged);
  for (let at = 0; at < reverted.length; at += batch) {
    await gateway.transaction((transaction) => {
      for (const key of reverted.slice(at, at + batch)) {
        transaction.object(objectClass.name, keyValue(objectClass, key)).update({ [name]: own(before.get(key), name) ?? null });
      }
    });
  }
  return { reverted: reverted.length, changed: keys.length - reverted.length };
}

/** Objects by their keys, as far as they exist. */
async function read(gateway, objectClass, keys, query) {
  const { keyProperty } = objectClass;
  const found = new Map();
  if (keyProperty === null) {
    for (const key of keys) {
      const object = await gateway.request("GET", paths.object(objectClass.name, key), { query }).catch((error) => {
        if (error.status !== 404) throw error;
        return null;
      });
      if (object !== null) found.set(key, object);
    }
    return found;
  }
  for (let at = 0; at < keys.length; at += batch) {
    const part = keys.slice(at, at + batch);
    const literals = part.map((key) => literal(keyValue(objectClass, key), keyProperty));
    const { items } = await gateway.request("GET", paths.collection(objectClass.name), {
      query: { ...query, filter: `${keyProperty.path} IN {${literals.join(", ")}}`, limit: part.length },
    });
    for (const one of items) found.set(objectClass.keyOf(one), one);
  }
  return found;
}
