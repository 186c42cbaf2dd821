// Names of properties as key paths and predicates write them.

const oneCase = /^(?:not|NOT|true|TRUE|false|FALSE)$/;
const anyCase = /^(?:and|or|null|nil|inf|infinity|nan|truepredicate|falsepredicate)$/i;
/** `$0` is an argument, and `O5` the key of an object. */
const mistakable = /^(?:\$K?|O)\d+$/;
const signs = { " ": "\\ ", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The name with an escape for each character that would end it, and for the first one of a name that would be another word. */
export function escapedName(name) {
  const isWord = oneCase.test(name) || anyCase.test(name) || mistakable.test(name);
  return [...name].map((character, index) => {
    const isPlain = index === 0 ? !isWord && /[A-Za-z_$\u0080-\u{10ffff}]/u.test(character)
      : /[A-Za-z0-9_$\-\u0080-\u{10ffff}]/u.test(character);
    return isPlain ? character : signs[character] ?? unicode(character);
  }).join("");
}

const unicode = (character) => Array.from(
  { length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`).join("");
