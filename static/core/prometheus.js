// The text form of Prometheus, read: families of samples.

/** Families by name: `{type, help, samples: [{name, labels, value}]}`. */
export function readMetrics(text) {
  const families = new Map();
  const family = (name) => {
    if (!families.has(name)) families.set(name, { name, type: "untyped", help: "", samples: [] });
    return families.get(name);
  };
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) {
      const [, word, name, rest = ""] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
      if (word === "HELP") family(name).help = rest;
      else if (word === "TYPE") family(name).type = rest;
      continue;
    }
    const found = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/.exec(line);
    if (!found) continue;
    const [, name, labels = "", value] = found;
    const base = name.replace(/_(bucket|sum|count)$/, "");
    const owner = families.get(base)?.type === "histogram" || families.get(base)?.type === "summary" ? base : name;
    family(owner).samples.push({ name, labels: readLabels(labels), value: readNumber(value) });
  }
  return families;
}

function readLabels(text) {
  return Object.fromEntries([...text.matchAll(/([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) =>
    [name, value.replace(/\\(.)/g, (_, mark) => (mark === "n" ? "\n" : mark))]));
}

function readNumber(text) {
  return { "+Inf": Infinity, "-Inf": -Infinity, NaN: NaN }[text] ?? Number(text);
}

/** The sum of the samples of a family, or of those that `keep` wants; null where there is none. */
export function total(families, name, keep = () => true) {
  const samples = families.get(name)?.samples.filter((one) => one.name === name && keep(one.labels)) ?? [];
  return samples.length === 0 ? null : samples.reduce((sum, one) => sum + one.value, 0);
}

/** A histogram's buckets, added up over all labels: pairs of upper bound and cumulative count. */
export function buckets(families, name) {
  const sums = new Map();
  for (const { name: part, labels, value } of families.get(name)?.samples ?? []) {
    if (part !== `${name}_bucket`) continue;
    const bound = readNumber(labels.le);
    sums.set(bound, (sums.get(bound) ?? 0) + value);
  }
  return [...sums].sort(([one], [other]) => one - other);
}

/** A quantile of the values that a histogram has gained between two readings; null without values. */
export function quantile(share, before, after) {
  const old = new Map(before);
  const added = after.map(([bound, count]) => [bound, count - (old.get(bound) ?? 0)]);
  const all = added.at(-1)?.[1] ?? 0;
  if (all <= 0) return null;
  let low = 0;
  let below = 0;
  for (const [bound, count] of added) {
    if (count >= share * all) {
      if (bound === Infinity) return low;
      return low + (bound - low) * ((share * all - below) / Math.max(1, count - below));
    }
    low = bound;
    below = count;
  }
  return low;
}
