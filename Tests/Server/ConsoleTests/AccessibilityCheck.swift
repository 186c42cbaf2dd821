/// Finds accessibility errors of a page, as far as a program can.
enum AccessibilityCheck {
    /// A JavaScript expression that returns the errors of the visible page: controls without labels, buttons and links
    /// without names, headings out of order, ids that are duplicate or missing, a focus order other than that of the
    /// page, text with a contrast below 4.5 : 1 (3 : 1 if it is large), and horizontal scrolling.
    static let expression = #"""
        (() => {
          const faults = [];
          const seen = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !one.closest("[aria-hidden=true], .hidden, .skip");
          const words = (one) => `${one.tagName.toLowerCase()}${one.id ? `#${one.id}` : ""}${one.className ? `.${String(one.className).split(" ").join(".")}` : ""} ‘${(one.textContent ?? "").trim().slice(0, 30)}’`;
          const nameOf = (one) => one.getAttribute("aria-label")
            || (one.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ").trim()
            || [...(one.labels ?? [])].map((label) => label.textContent).join(" ").trim() || one.textContent.trim();
          for (const one of document.querySelectorAll("input, select, textarea")) {
            if (!seen(one)) continue;
            const isNamed = one.getAttribute("aria-label") || one.getAttribute("aria-labelledby") || [...one.labels].some((label) => label.textContent.trim() !== "");
            if (!isNamed) faults.push(`no label: ${words(one)}`);
          }
          for (const one of document.querySelectorAll("button, a, summary, [role=button], [role=region], nav, dialog[open]")) {
            if (seen(one) && nameOf(one) === "") faults.push(`no name: ${words(one)}`);
          }
          for (const one of document.querySelectorAll("[tabindex]")) if (one.tabIndex > 0) faults.push(`an order of its own: ${words(one)}`);
          const ids = new Map();
          for (const one of document.querySelectorAll("[id]")) ids.set(one.id, (ids.get(one.id) ?? 0) + 1);
          for (const [id, count] of ids) if (count > 1) faults.push(`the id ${id} is there ${count} times`);
          for (const one of document.querySelectorAll("[aria-describedby], [aria-controls], label[for]")) {
            const name = one.getAttribute("aria-describedby") ?? one.getAttribute("aria-controls") ?? one.getAttribute("for");
            for (const id of name.split(" ")) if (!document.getElementById(id)) faults.push(`nothing has the id ${id}: ${words(one)}`);
          }
          let level = 0;
          let tops = 0;
          for (const one of document.querySelectorAll("main h1, main h2, main h3, main h4")) {
            if (!seen(one)) continue;
            const next = Number(one.tagName[1]);
            if (next === 1) tops += 1;
            if (next > level + 1) faults.push(`a heading of level ${next} after one of level ${level}: ${words(one)}`);
            level = next;
          }
          if (tops !== 1) faults.push(`${tops} main headings`);

          const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
          const known = new Map();
          const colour = (text) => {
            if (!known.has(text)) {
              pen.clearRect(0, 0, 1, 1);
              pen.fillStyle = text;
              pen.fillRect(0, 0, 1, 1);
              known.set(text, [...pen.getImageData(0, 0, 1, 1).data]);
            }
            return known.get(text);
          };
          const over = (top, bottom) => top.slice(0, 3).map((part, index) => part * (top[3] / 255) + bottom[index] * (1 - top[3] / 255)).concat(255);
          const ground = (one) => {
            const layers = [];
            for (let at = one; at; at = at.parentElement) {
              const found = colour(getComputedStyle(at).backgroundColor);
              if (found[3] > 0) layers.push(found);
              if (found[3] === 255) break;
            }
            return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 255]);
          };
          const light = (rgb) => {
            const [r, g, b] = rgb.map((part) => {
              const share = part / 255;
              return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
            });
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          const reported = new Set();
          const contrast = (one, text, style, what) => {
            const below = ground(one);
            const pair = [light(over(text, below).slice(0, 3)), light(below.slice(0, 3))];
            const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
            const size = parseFloat(style.fontSize);
            const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
            const key = `${one.className} ${what}`;
            if (ratio >= least || reported.has(key)) return;
            reported.add(key);
            faults.push(`contrast ${ratio.toFixed(2)}: ${what} ${words(one)}`);
          };
          while (walker.nextNode()) {
            const one = walker.currentNode.parentElement;
            if (walker.currentNode.textContent.trim() === "" || !one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || one.closest(".hidden, .skip, option, :disabled, .stale, datalist, noscript")) continue;
            if (one.getAnimations().length > 0 || one.closest("[data-mark]")?.getAnimations().length > 0) continue;
            const style = getComputedStyle(one);
            contrast(one, colour(style.color), style, "text");
          }
          for (const one of document.querySelectorAll("input, textarea")) {
            if (!seen(one) || one.placeholder === "" || one.placeholder === undefined) continue;
            const style = getComputedStyle(one, "::placeholder");
            contrast(one, over(colour(style.color).map((part, index) => index === 3 ? part * Number(style.opacity) : part), ground(one)), style, "placeholder");
          }
          if (document.documentElement.scrollWidth > innerWidth) faults.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);
          const main = document.querySelector("main");
          if (main.scrollWidth > main.clientWidth) faults.push(`the content is ${main.scrollWidth} wide in ${main.clientWidth}`);
          return faults;
        })()
        """#
}
