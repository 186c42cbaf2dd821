// The schema for those who may not change it: the classes that they see, as tables.

import { typeWords } from "../objects/columns.js";
import { heading, panel, table, empty } from "../parts/ui.js";

export function showSchema(root, { database }) {
  const { classes } = database.schema;
  root.replaceChildren(
    heading("Schema", "The classes that your role sees. Only administrators change the schema."),
    ...classes.map((one) => panel(one.name, { note: one.isEmbedded ? "Embedded: its objects belong to others." : null },
      table(`Properties of ${one.name}`, ["Property", "Type", "Marks", "Default"],
        one.properties.filter((property) => property.kind !== "objectKey").map((property) => [
          property.name, typeWords(property), marks(property), written(property.defaultValue),
        ])))),
    classes.length === 0 ? empty("Your role sees no classes.") : "");
}

const marks = (property) =>
  [property.isKey && "key", property.indexed && "index", property.fullText && "full-text search"].filter(Boolean).join(", ");

const written = (value) => (value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));
