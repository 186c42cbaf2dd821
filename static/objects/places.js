// Where objects are: by two properties with latitude and longitude, or by an embedded GeoJSON point.

import { own } from "../core/json.js";

/** How the positions of a class's objects are read: `{fields, of(object), within(bounds)}`; null where it has none. */
export function placesOf(objectClass, schema) {
  const numbers = objectClass.properties.filter((one) => one.isNumeric || one.kind === "decimal128");
  const latitude = numbers.find((one) => /^lat(itude)?$/i.test(one.name));
  const longitude = numbers.find((one) => /^(lon|lng|long|longitude)$/i.test(one.name));
  if (latitude && longitude) {
    return {
      fields: [latitude.name, longitude.name],
      of: (object) => pair(own(object, latitude.name), own(object, longitude.name)),
      within: ({ west, east, south, north }) =>
        `${latitude.path} BETWEEN {${degrees(south)}, ${degrees(north)}} AND ${longitude.path} BETWEEN {${degrees(west)}, ${degrees(east)}}`,
    };
  }
  const point = objectClass.properties.find((one) => one.kind === "embedded" && isPoint(schema.class(one.target)));
  if (!point) return null;
  return {
    fields: [point.name],
    of: (object) => {
      const place = own(object, point.name);
      return place?.type === "Point" && Array.isArray(place.coordinates) ? pair(place.coordinates[1], place.coordinates[0]) : null;
    },
    within: ({ west, east, south, north }) =>
      `${point.path} GEOWITHIN geoBox([${degrees(west)}, ${degrees(south)}], [${degrees(east)}, ${degrees(north)}])`,
  };
}

function isPoint(embedded) {
  return embedded?.property("type")?.kind === "string" && /^(double|float)\??\[\]$/.test(embedded.property("coordinates")?.type ?? "");
}

/** Values that are no position on the globe are none: a map must not move them to one. */
function pair(latitude, longitude) {
  if ([null, undefined, ""].includes(latitude) || [null, undefined, ""].includes(longitude)) return null;
  const [north, east] = [Number(latitude), Number(longitude)];
  return Math.abs(north) <= 90 && Math.abs(east) <= 180 ? { latitude: north, longitude: east } : null;
}

const degrees = (number) => Number(number.toFixed(4));
