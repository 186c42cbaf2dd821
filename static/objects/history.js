// What happened to an object, as far as the log of changes has it, and the reversal of each change.
//
// Cost: nothing until it is opened; then one request, and one after each change of the object.

import { RealmgateError, paths } from "../core/api.js";
import { own, same, stringify } from "../core/json.js";
import { tally, text, words } from "../core/values.js";
import { showDialog } from "../parts/dialog.js";
import { make } from "../parts/element.js";
import { toast, toastFault } from "../parts/toast.js";
import { button, empty, faultPanel, loading, panel, plainError } from "../parts/ui.js";

const shown = 20;
const pause = 300;
/** Texts of more characters are cut: the whole value was or is on the page. */
const longest = 400;

const signs = { created: "+", deleted: "−", modified: "±" };
const marks = { created: "inserted", deleted: "deleted", modified: "changed" };
const begins = {
  log: (version) => `The log begins after version ${version}: older changes are not kept.`,
  schema: (version) => `Version ${version} changed the schema: changes before it are not shown.`,
  values: (version) => `Version ${version} changed more than the log keeps old values of: changes up to it are not shown.`,
};

export class History {
  #timer = null;
  #newest = null;

  /** `context` is that of the object's page. `isGone` where the object does not exist: then nothing can be reverted. */
  constructor(context, { isGone = false } = {}) {
    this.context = context;
    this.isGone = isGone;
    this.list = make("ol.differences.history", { "aria-label": "Changes, newest first" });
    this.foot = make("div.history-foot", {});
    this.body = make("div", { hidden: true });
    this.opener = button("Show changes", () => this.#turn(), { label: "Show the changes of this object" });
    this.opener.setAttribute("aria-expanded", "false");
    this.root = panel("History", { actions: [this.opener] }, this.body);
    this.root.classList.add("history-panel");
  }

  /** After a change of the object. */
  refresh() {
    if (this.body.hidden || this.#newest === null) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      // What is shown stays until the next change.
      if (this.root.isConnected && !this.body.hidden) this.#load().catch(toastFault);
    }, pause);
  }

  #turn() {
    this.body.hidden = !this.body.hidden;
    this.opener.setAttribute("aria-expanded", String(!this.body.hidden));
    this.opener.textContent = this.body.hidden ? "Show changes" : "Hide changes";
    this.opener.setAttribute("aria-label", `${this.body.hidden ? "Show" : "Hide"} the changes of this object`);
    if (!this.body.hidden) this.#begin();
  }

  async #begin() {
    this.#newest = null;
    this.list.replaceChildren();
    this.body.replaceChildren(loading());
    try {
      await this.#load();
    } catch (error) {
      if (!(error instanceof RealmgateError)) throw error;
      this.body.replaceChildren(error.status === 404 && this.isGone
        ? empty("The log has no change of it.") : faultPanel(error, () => this.#begin()));
    }
  }

  #request(after) {
    const { gateway, objectClass, key } = this.context;
    return gateway.request("GET", paths.history(objectClass.name, key), { query: { limit: shown, after } });
  }

  /** Shows the newest changes, above those that are there already. */
  async #load() {
    const page = await this.#request();
    const fresh = page.items.filter((one) => this.#newest === null || one.version > this.#newest);
    const hasGap = this.#newest !== null && fresh.length > 0 && fresh.length === page.items.length;
    this.#newest = page.version;
    const items = fresh.map((one) => this.#item(one));
    if (hasGap) this.list.replaceChildren(...items);
    else this.list.prepend(...items);
    // What is behind the older ones is known already.
    if (hasGap || !this.list.isConnected) this.#end(page);
    if (!this.list.isConnected) this.body.replaceChildren(this.list, this.foot);
  }

  #end({ next, begins: end }) {
    const more = button("Older changes", async () => {
      more.disabled = true;
      try {
        const page = await this.#request(next);
        const items = page.items.map((one) => this.#item(one));
        this.list.append(...items);
        this.#end(page);
        (items[0]?.querySelector("button") ?? this.foot.querySelector("button"))?.focus();
      } catch (error) {
        more.disabled = false;
        toastFault(error);
      }
    });
    this.foot.replaceChildren(next !== undefined ? more : make("p.note", {}, begins[end.reason](end.version)));
  }

  #item(change) {
    const { objectClass } = this.context;
    const names = Object.keys(change.properties);
    // All values of an object that came or went are not news to who sees it.
    const values = make("dl.history-values", {}, names.map((name) => {
      const property = objectClass.property(name);
      const { old, new: made } = change.properties[name];
      const value = (tag, one) => one !== undefined && make(`${tag}${one === null ? ".null" : ""}`, {}, shortened(one, property, name));
      return make("div", {}, make("dt", {}, name),
        make("dd", {}, value("del", old), old !== undefined && made !== undefined && make("span.arrow", { role: "img", "aria-label": "became" }, "→"), value("ins", made)));
    }));
    return make("li", { "data-mark": marks[change.kind] },
      make("div.history-head", {},
        make("span.sign", { role: "img", "aria-label": change.kind }, signs[change.kind]),
        make("b", {}, `version ${change.version}`),
        change.time !== undefined && make("time", { datetime: change.time }, `${text(change.time, { kind: "date" }).replace("T", " ").replace("Z", "")} UTC`),
        this.#mayRevert(change) && button("Revert this change", () => this.#ask(change).catch(toastFault), {
          label: `Revert the change of version ${change.version}`,
        })),
      change.kind === "modified" || names.length <= 3 ? values
        : make("details", {}, make("summary", {}, `${change.kind}, with ${tally(names.length)} values`), values));
  }

  /** Those that this caller could write back; empty where nothing can be. */
  #properties(change) {
    const { objectClass, writes } = this.context;
    return Object.keys(change.properties).map((name) => objectClass.property(name))
      .filter((property) => property !== null && property.isEditable && writes(property));
  }

  #mayRevert(change) {
    return !this.isGone && change.kind === "modified" && this.#properties(change).length === Object.keys(change.properties).length;
  }

  /** Reads the object, and throws unless its properties still are what the change made of them. */
  async #unchanged(change) {
    const { gateway, objectClass, key } = this.context;
    const { value, headers } = await gateway.send("GET", paths.object(objectClass.name, key));
    const changed = this.#properties(change).map((one) => one.name)
      .filter((name) => !same(own(value, name), change.properties[name].new));
    if (changed.length > 0) {
      const names = changed.length === 1 ? `${changed[0]} has` : `${changed.slice(0, -1).join(", ")} and ${changed.at(-1)} have`;
      throw plainError(`${names} changed since version ${change.version}, so that change cannot be reverted.`);
    }
    return headers.get("ETag");
  }

  async #ask(change) {
    const { objectClass, key } = this.context;
    await this.#unchanged(change);
    const properties = this.#properties(change);
    showDialog({
      title: `Revert the change of version ${change.version}?`,
      body: [
        make("p", {}, `This writes ${properties.length === 1 ? "the value" : `the ${properties.length} values`} from before that version into ${objectClass.name} ${key}, as a new version:`),
        make("dl.history-values", {}, properties.map((property) => {
          const { old, new: made } = change.properties[property.name];
          return make("div", {}, make("dt", {}, property.name),
            make("dd", {}, make("del", {}, shortened(made, property, property.name)),
              make("span.arrow", { role: "img", "aria-label": "becomes" }, "→"), make("ins", {}, shortened(old, property, property.name))));
        })),
      ],
      verb: "Revert",
      submit: () => this.#revert(change, properties),
    });
  }

  async #revert(change, properties) {
    const { objectClass, key, send } = this.context;
    // The object may have changed while the question was open; the tag refuses what comes between.
    const tag = await this.#unchanged(change);
    await send("PATCH", paths.object(objectClass.name, key), {
      body: Object.fromEntries(properties.map(({ name }) => [name, change.properties[name].old])),
      headers: { "If-Match": tag },
    });
    toast(`The change of version ${change.version} is reverted.`);
    this.refresh();
  }
}

/** A value as its cell shows it, cut where it is long. */
function shortened(value, property, name) {
  const all = property === null ? stringify(value) : words({ [name]: value }, property);
  return all.length > longest ? `${all.slice(0, longest)}…` : all;
}
