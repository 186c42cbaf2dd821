// The dialog that arranges the columns of the table.

import { showDialog } from "../parts/dialog.js";
import { make } from "../parts/element.js";
import { button, check, iconButton } from "../parts/ui.js";

/** `changed()` is called after every change of the layout. */
export function arrangeColumns(layout, changed) {
  const list = make("ul.arrangement", { "aria-label": "Columns" });
  const draw = (focused = null) => {
    const shown = layout.properties;
    list.replaceChildren(...layout.all.map((property, index) => {
      const place = shown.indexOf(property);
      const move = (sign, words, step, isPossible) => iconButton(sign, `${words} ${property.name}`, () => {
        layout.move(property.name, step);
        changed();
        draw({ name: property.name, step });
      }, { disabled: !isPossible, "data-step": String(step) });
      const item = make("li", {},
        check(property.name, {
          checked: layout.isShown(property), disabled: index === 0,
          onchange: (event) => {
            layout.show(property.name, event.target.checked);
            changed();
            draw();
          },
        }), make("span.type", {}, property.type),
        index > 0 && move("↑", "Move up", -1, place > 1), index > 0 && move("↓", "Move down", 1, place > 0 && place < shown.length - 1));
      item.dataset.name = property.name;
      return item;
    }));
    if (focused === null) return;
    const item = [...list.children].find((one) => one.dataset.name === focused.name);
    (item.querySelector(`[data-step="${focused.step}"]:not(:disabled)`) ?? item.querySelector("button:not(:disabled)"))?.focus();
  };
  draw();
  showDialog({
    title: `Columns of ${layout.objectClass.name}`, cancel: "Close",
    body: make("div", {}, make("p.note", {}, "This browser remembers them."), list,
      button("As in the schema", () => {
        layout.reset();
        changed();
        draw();
      })),
  });
}
