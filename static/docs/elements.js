// Texts, examples and buttons of the reader.

import { copyText } from "../parts/copy.js";
import { make } from "../parts/element.js";

/** Text with paragraphs, `code`, and **bold** words, as descriptions have them. */
export function words(text) {
  const made = make("div", { class: "words" });
  for (const paragraph of text.split(/\n\s*\n/)) {
    if (paragraph.trim() === "") continue;
    const parts = paragraph.split(/(`[^`]+`|\*\*[^*]+\*\*)/).filter((part) => part !== "");
    made.append(
      make(
        "p",
        {},
        parts.map((part) => {
          if (part.startsWith("`") && part.endsWith("`") && part.length > 2) return make("code", {}, part.slice(1, -1));
          if (part.startsWith("**") && part.endsWith("**") && part.length > 4) return make("strong", {}, part.slice(2, -2));
          return part;
        }),
      ),
    );
  }
  return made;
}

/** A button that copies the text that `text()` gives, which the element before the button shows. */
export function copyButton(text) {
  const button = make("button", {
    type: "button", class: "action",
    onclick: () => copyText(text(), button, () => getSelection().selectAllChildren(button.previousElementSibling)),
  }, "Copy");
  return button;
}

/** A value as text that can be copied. */
export function example(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return make("div", { class: "example" }, [make("pre", { tabindex: "0" }, text), copyButton(() => text)]);
}
