// Where the boxes of a diagram are: in columns, so that linked boxes are beside each other and few lines cross.

const gapX = 96;
const gapY = 28;
const gapParts = 56;

/**
 * Gives boxes their positions: `nodes` are `[{name, width, height}]`, `edges` `[{from, to}]` by name. Returns
 * `{places: Map of {x, y, column}, width, height}`. The same input always has the same positions.
 */
export function arrange(nodes, edges) {
  const around = new Map(nodes.map((one) => [one.name, new Set()]));
  for (const { from, to } of edges) {
    if (from === to || !around.has(from) || !around.has(to)) continue;
    around.get(from).add(to);
    around.get(to).add(from);
  }
  const byName = new Map(nodes.map((one) => [one.name, one]));
  const places = new Map();
  let top = 0;
  let width = 0;
  const parts = components(nodes, around).sort((one, other) => other.length - one.length);
  const single = parts.filter((one) => one.length === 1).map(([name]) => byName.get(name));
  for (const part of parts.filter((one) => one.length > 1)) {
    const size = columns(part, around, byName, places, top);
    top += size.height + gapParts;
    width = Math.max(width, size.width);
  }
  // Classes without links are in rows below the others.
  const room = Math.max(width, 900);
  let [x, rowHeight] = [0, 0];
  for (const one of single) {
    if (x > 0 && x + one.width > room) {
      top += rowHeight + gapY;
      [x, rowHeight] = [0, 0];
    }
    places.set(one.name, { x, y: top, column: 0 });
    x += one.width + 40;
    rowHeight = Math.max(rowHeight, one.height);
    width = Math.max(width, x - 40);
  }
  const height = Math.max(0, ...nodes.map((one) => places.get(one.name).y + one.height));
  return { places, width, height };
}

function components(nodes, around) {
  const seen = new Set();
  return nodes.flatMap(({ name }) => {
    if (seen.has(name)) return [];
    const part = [name];
    seen.add(name);
    for (const one of part) {
      for (const other of around.get(one)) {
        if (!seen.has(other)) {
          seen.add(other);
          part.push(other);
        }
      }
    }
    return [part];
  });
}

/** Places one connected part: columns by the distance from a box at its edge. */
function columns(part, around, byName, places, top) {
  const distances = (start) => {
    const found = new Map([[start, 0]]);
    for (const [name, distance] of found) {
      for (const other of around.get(name)) if (!found.has(other)) found.set(other, distance + 1);
    }
    return found;
  };
  // The middle of the part is the box that is nearest to all others; half of its neighbours go to its left.
  const center = part.reduce((best, name) => {
    const far = Math.max(...distances(name).values());
    const isBetter = best === null || far < best.far || (far === best.far && around.get(name).size > around.get(best.name).size);
    return isBetter ? { name, far } : best;
  }, null).name;
  const column = new Map([[center, 0]]);
  const sides = { left: 0, right: 0 };
  for (const [name, at] of column) {
    for (const other of around.get(name)) {
      if (column.has(other)) continue;
      if (at !== 0) {
        column.set(other, at + Math.sign(at));
        continue;
      }
      const side = sides.right <= sides.left ? "right" : "left";
      sides[side] += byName.get(other).height;
      column.set(other, side === "right" ? 1 : -1);
    }
  }
  const numbers = [...new Set(column.values())].sort((one, other) => one - other);
  const lists = numbers.map((number) => part.filter((name) => column.get(name) === number));
  const index = new Map();
  const number = () => lists.forEach((list) => list.forEach((name, at) => index.set(name, at - (list.length - 1) / 2)));
  number();
  // Boxes are near the middle of those that they are linked with.
  for (let round = 0; round < 4; round += 1) {
    for (const list of lists) {
      const wish = new Map(list.map((name) => {
        const others = [...around.get(name)].filter((one) => column.get(one) !== column.get(name));
        return [name, others.length === 0 ? index.get(name) : others.reduce((sum, one) => sum + index.get(one), 0) / others.length];
      }));
      list.sort((one, other) => wish.get(one) - wish.get(other) || part.indexOf(one) - part.indexOf(other));
    }
    number();
  }
  const heights = lists.map((list) => list.reduce((sum, name) => sum + byName.get(name).height + gapY, -gapY));
  const height = Math.max(...heights);
  let x = 0;
  lists.forEach((list, at) => {
    const width = Math.max(...list.map((name) => byName.get(name).width));
    let y = top + (height - heights[at]) / 2;
    for (const name of list) {
      places.set(name, { x: x + (width - byName.get(name).width) / 2, y, column: numbers[at] });
      y += byName.get(name).height + gapY;
    }
    x += width + gapX;
  });
  return { width: x - gapX, height };
}
