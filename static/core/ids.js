// Names for elements and drafts.

/** A name that nothing else has. It is random, so that no counter has to be kept. */
export const freshID = (prefix) => `${prefix}-${Math.random().toString(36).slice(2, 12)}`;
