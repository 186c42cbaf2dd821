// Mercator's projection onto a square of 3600 units, and the outline of the world in it.

import { outline } from "./world.js";

export const size = 3600;
/** Mercator's map has no poles; the square ends here. */
export const northernmost = 85.05;

export const xOf = (longitude) => ((longitude + 180) / 360) * size;

export function yOf(latitude) {
  const bound = (Math.max(-northernmost, Math.min(northernmost, latitude)) * Math.PI) / 180;
  return (0.5 - Math.asinh(Math.tan(bound)) / (2 * Math.PI)) * size;
}

export const longitudeOf = (x) => (x / size) * 360 - 180;
export const latitudeOf = (y) => (Math.atan(Math.sinh((0.5 - y / size) * 2 * Math.PI)) * 180) / Math.PI;

/** The countries as the data of one path. */
export function worldPath() {
  return outline.match(/M[^M]+/g).map((ring) => {
    let x = 0;
    let y = 0;
    const places = [];
    const numbers = ring.match(/-?\d+/g).map(Number);
    // The first position is absolute, each other one is relative to the one before it.
    for (let index = 0; index < numbers.length; index += 2) {
      x += numbers[index];
      y += numbers[index + 1];
      places.push(`${xOf(x / 10).toFixed(1)},${yOf(-y / 10).toFixed(1)}`);
    }
    return `M${places.join("L")}Z`;
  }).join("");
}
