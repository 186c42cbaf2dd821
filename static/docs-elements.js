// Making the elements of the reader.

/** An element with attributes and children; those that are null or undefined are left out. */
export function make(name, attributes = {}, children = []) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) made.setAttribute(attribute, value);
  }
  made.append(...[children].flat().filter((child) => child !== null && child !== undefined));
  return made;
}

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

/** A button that copies what the function gives. */
export function copyButton(text) {
  const button = make("button", { type: "button", class: "action" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select it"; // Pages without TLS may not write to the clipboard.
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  return button;
}

/** A value as text that can be copied. */
export function example(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return make("div", { class: "example" }, [make("pre", { tabindex: "0" }, text), copyButton(() => text)]);
}
