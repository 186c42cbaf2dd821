// Axes: round values between two bounds, and times as people write them.

/** Round values from 0 up to at least `high`, at most `most` intervals of them: `[0, 20, 40, 60]`. */
export function ticks(high, most = 4) {
  if (!(high > 0) || !Number.isFinite(high)) return [0, 1];
  const wanted = high / most;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((one) => one >= wanted * (1 - 1e-9)) ?? 10 * power;
  const count = Math.max(1, Math.ceil(high / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

const minute = 60_000;

/** Times of the wall clock between two times in milliseconds, at most `most` of them. */
export function timeTicks(from, to, most = 6) {
  const step = [1, 2, 5, 10, 15, 30, 60].map((one) => one * minute).find((one) => (to - from) / one <= most) ?? 60 * minute;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, index) => first + index * step);
}

const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", hour: "2-digit", minute: "2-digit" });
const exactClock = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** A time of day in UTC, as all times of the console: 14:05. */
export const timeOfDay = (milliseconds) => clock.format(milliseconds);
export const exactTime = (milliseconds) => exactClock.format(milliseconds);
