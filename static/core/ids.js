// Names for elements and drafts.

/** A name that nothing else has: random, so that nobody has to count. */
export const freshID = (prefix) => `${prefix}-${Math.random().toString(36).slice(2, 12)}`;
