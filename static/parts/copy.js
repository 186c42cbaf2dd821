// Copying a text by a button.

const shown = 1600;

/**
 * Copies `text` and says so on the button. Browsers forbid the clipboard to pages without TLS, except on this machine:
 * `mark()` then selects the text, so that the reader can copy it.
 */
export async function copyText(text, button, mark) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    mark();
    button.textContent = "Press Ctrl C";
  }
  setTimeout(() => {
    button.textContent = "Copy";
  }, shown);
}
