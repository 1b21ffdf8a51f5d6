// Tables for people of what a JSON Schema says: fields, their forms, what they mean.
import { code, type Html, row, table } from "./html.ts";

/** The parts of JSON Schema that are looked at. */
export type Schema = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
};

/** The fields of an object that are shown: name, form, required or default, description. */
export function fieldTable(schema: Schema, isShown = (_name: string) => true): Html {
  const rows = Object.entries(schema.properties ?? {}).filter(([name]) => isShown(name)).map(
    ([name, field]) =>
      row([code(name), formOf(field), needOf(name, field, schema), field.description ?? ""]),
  );
  return table(["field", "form", "", ""], rows);
}

/** A row for each figure of an object and of the objects in it that has a description. */
export function figureRows(schema: Schema, path = ""): readonly Html[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = path + name;
    const own = field.description ? [row([code(at), field.description])] : [];
    return [...own, ...figureRows(field, `${at}.`), ...figureRows(field.items ?? {}, `${at}[].`)];
  });
}

function needOf(name: string, field: Schema, { required = [] }: Schema): string {
  if (field.default !== undefined) return `default ${JSON.stringify(field.default)}`;
  return required.includes(name) ? "required" : "";
}

/** The forms of a value as text; null, which a field may well be, is left out. */
function formOf(field: Schema): string {
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (field.enum) return field.enum.length > 12 ? `${field.enum.length} values` : list(field.enum);
  if (field.format) return field.format;
  if (field.items) return `list of ${formOf(field.items)}`;
  const others = field.anyOf ?? field.oneOf;
  if (others) return [...new Set(others.map(formOf))].filter((it) => it !== "").join(", ");
  if (field.type === undefined) return "JSON";
  return [field.type].flat().filter((it) => it !== "null").join(", ");
}

function list(words: readonly unknown[]): string {
  return words.join(", ");
}
