// Times and sizes as people read them.

/** Without zeros that say nothing: 2.0 is 2. */
const trimmed = (text) => text.replace(/\.0+$/, "");

/** A duration in seconds. */
export function time(seconds) {
  if (seconds === 0) return "0 s";
  if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`;
  return seconds < 1 ? `${trimmed((seconds * 1000).toFixed(1))} ms` : `${trimmed(seconds.toFixed(2))} s`;
}

/** A number of bytes. */
export function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let rest = count;
  while (rest >= 1024 && unit < units.length - 1) {
    rest /= 1024;
    unit += 1;
  }
  return `${trimmed(rest.toFixed(rest < 100 && unit > 0 ? 1 : 0))} ${units[unit]}`;
}

/** How long ago a moment is, in one unit: `3 min`. The clocks of two computers differ: what is to come is now. */
export function ago(moment) {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(moment)) / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** The time of day of a moment, in UTC. */
export const utc = (moment) => new Date(Date.parse(moment)).toISOString().slice(11, 19);
