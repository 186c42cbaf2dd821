// The code that stands on pages of the documentation.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The blocks of code of a page: `{language, code}`, in their order. */
export function blocksOf(page) {
  const text = readFileSync(join(here, page), "utf8");
  return [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, language, code]) => ({ language, code }));
}

export const guide = blocksOf("../../docs/guide/javascript.md");
export const readme = blocksOf("README.md");
