// The plan of a schema change, step by step, with the buttons that apply and discard it.

import { tally } from "../core/values.js";
import { make } from "../parts/element.js";
import { button, panel, sentenceOf } from "../parts/ui.js";

const effects = {
  automatic: "no step needed", needsMigration: "needs a step", losesData: "deletes values",
};

export class PlanPanel {
  /** Sentences about the values that applying would lose. */
  losses = [];

  constructor({ apply, discard, raise, fallback }) {
    Object.assign(this, { raise, fallback });
    this.sentence = make("p", { role: "status" });
    this.warning = make("p.fault", { role: "alert", hidden: true });
    this.changes = make("ul.plan-changes", { "aria-label": "Changes" });
    this.steps = make("div", {});
    this.applyButton = button("Apply", apply, { kind: "primary" });
    this.discardButton = button("Discard", discard);
    this.root = panel("What would change", { actions: [this.discardButton, this.applyButton] },
      this.sentence, this.warning, this.changes, this.steps);
    this.root.classList.add("plan-panel");
  }

  wait() {
    this.applyButton.disabled = true;
  }

  warn(sentence) {
    this.warning.hidden = false;
    this.warning.textContent = sentence;
  }

  show(plan, draft) {
    this.warning.hidden = true;
    const { changes } = plan;
    this.applyButton.disabled = !plan.applicable || changes.length === 0;
    this.discardButton.hidden = changes.length === 0;
    this.losses = changes.filter((one) => one.effect === "losesData").map((one) => one.change);
    if (changes.length === 0) this.sentence.textContent = "No changes: this is the current schema.";
    else if (plan.applicable) this.sentence.textContent = `${tally(changes.length)} ${changes.length === 1 ? "change" : "changes"}, ready to apply.`;
    else this.sentence.replaceChildren(this.#reason(plan, draft));
    this.changes.replaceChildren(...changes.map((one) => make("li", {},
      make("span.badge", { "data-effect": one.covered && one.effect === "needsMigration" ? "covered" : one.effect }, one.covered && one.effect === "needsMigration" ? "with a step" : effects[one.effect]),
      make("span.sentence", {}, one.change),
      one.objects > 0 && make("span.note", {}, `${tally(one.objects)} ${one.objects === 1 ? "object" : "objects"}`),
      !one.covered && one.effect !== "automatic" && make("span.note.open", {}, "not covered"))));
    this.#drawSteps(draft, plan.faults ?? []);
  }

  #reason(plan, draft) {
    if (draft.version > draft.versionBefore) return make("span", {}, plan.detail ?? "This cannot be applied yet.");
    const next = draft.versionBefore + 1;
    return make("span", {}, "These changes affect stored values and need a higher schema version. ",
      button(`Raise it to ${next}`, () => this.raise(next), { kind: "chip" }));
  }

  #drawSteps(draft, faults) {
    const steps = draft.version > draft.versionBefore ? draft.steps : [];
    if (steps.length === 0) {
      this.steps.replaceChildren();
      return;
    }
    this.steps.replaceChildren(make("h3", {}, "Migration steps"), make("ol.plan-steps", {}, steps.map(({ step, property }, index) => {
      const fault = faults.find((one) => one.path === `$.migration[${index}]`);
      const [kind, members] = Object.entries(step)[0];
      const words = kind === "rename" ? `Rename ${members.class}.${members.from} to ${members.to}.`
        : `Convert ${members.class}.${members.from} to ${property.type}${members.to ? ` as ${members.to}` : ""}. Values that cannot be converted become `;
      const input = property && make("input.default", {
        type: "text", value: property.fallback, placeholder: "an error", spellcheck: "false",
        "aria-label": `Replacement for values of ${members.class}.${members.from} that cannot be converted`,
        onchange: (event) => this.fallback(property, event.target.value),
      });
      return make("li", {}, words, input, fault && make("p.field-fault", { role: "alert" }, fault.detail));
    })));
  }

  /** Shows a refusal; `rest` are its faults that are not shown at a field. */
  refuse(error, rest) {
    this.applyButton.disabled = true;
    this.discardButton.hidden = false;
    this.changes.replaceChildren();
    this.steps.replaceChildren();
    const faults = error.faults ?? [];
    this.sentence.textContent = "";
    const sentences = faults.length === 0 ? [sentenceOf(error)] : rest.map((one) => one.detail);
    const elsewhere = faults.length - rest.length;
    if (elsewhere > 0) sentences.unshift(elsewhere === 1 ? "One field has a fault." : `${elsewhere} fields have faults.`);
    this.warn(sentences.join(" "));
  }
}
