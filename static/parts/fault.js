// The fault of a predicate, shown below the text at its position.

const encoder = new TextEncoder();

/** The index in `text` of a position that is given in bytes of its UTF-8 form. */
export function indexOfByte(text, bytes) {
  let seen = 0;
  let index = 0;
  for (const character of text) {
    if (seen >= bytes) break;
    seen += encoder.encode(character).length;
    index += character.length;
  }
  return index;
}

/** The part of the text that the fault is about: a word, a number, a quoted text or a sign. */
export function faultyRange(text, start) {
  const rest = text.slice(start);
  const token = /^(?:[\p{L}\p{N}_$@][\p{L}\p{N}_$@-]*|'[^']*'?|"[^"]*"?|[<>=!&|]+|\S)/u.exec(rest);
  return { start, end: start + (token ? token[0].length : 0) };
}

/** The range that the gateway reports; without a length the word at its position. */
export function rangeOf(text, problem) {
  const start = indexOfByte(text, problem.position);
  return problem.length > 0
    ? { start, end: indexOfByte(text, problem.position + problem.length) }
    : faultyRange(text, start);
}

/** The text with the faulty name replaced by the hint; null where there is nothing to replace. */
export function mended(text, problem) {
  if (!problem.hint || problem.position === null) return null;
  const start = indexOfByte(text, problem.position);
  const path = /^[\p{L}\p{N}_$@.-]+/u.exec(text.slice(start));
  if (!path) return null;
  // A key path may be named as a whole while only one of its names is wrong: the one that the sentence quotes.
  let offset = 0;
  for (const name of path[0].split(".")) {
    if (problem.message.includes(`'${name}'`) && name !== problem.hint && offset > 0) {
      return splice(text, start + offset, name.length, problem.hint);
    }
    offset += name.length + 1;
  }
  const { end } = rangeOf(text, problem);
  return splice(text, start, end - start, problem.hint);
}

function splice(text, start, length, replacement) {
  return text.slice(0, start) + replacement + text.slice(start + length);
}

/** Fills `box` with the fault: the mirrored text with a caret, the sentence, and the fix where a hint gives one. */
export function showFault(box, text, problem, { fix }) {
  box.replaceChildren();
  box.hidden = false;
  const inPredicate = problem.parameter === null || problem.parameter === "filter";
  if (problem.position !== null && inPredicate) {
    const { start, end } = rangeOf(text, problem);
    const mirror = document.createElement("pre");
    mirror.className = "mirror";
    mirror.setAttribute("aria-hidden", "true");
    const bad = document.createElement("mark");
    bad.textContent = text.slice(start, end) || " ";
    mirror.append(text.slice(0, start), bad, text.slice(end));
    box.append(mirror);
    requestAnimationFrame(() => {
      mirror.scrollLeft = Math.max(0, bad.offsetLeft - mirror.clientWidth / 2);
    });
  }
  const line = document.createElement("p");
  const sentence = document.createElement("span");
  sentence.className = "sentence";
  sentence.textContent = problem.message;
  line.append(sentence);
  const better = inPredicate ? mended(text, problem) : null;
  if (better !== null) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "chip";
    button.textContent = `Use ‘${problem.hint}’`;
    button.addEventListener("click", () => fix(better));
    line.append(" ", button);
  } else if (problem.hint) {
    line.append(` Did you mean ‘${problem.hint}’?`);
  }
  box.append(line);
}

export function clearFault(box) {
  box.hidden = true;
  box.replaceChildren();
}
