// The JSON Schema of a row, derived from its columns.
import type { Column } from "./column.ts";
import type { Kind } from "./kind.ts";

/** JSON Schema of the objects that rows of some columns are in JSON; `title` is their name. */
export function rowSchema(columns: readonly Column[], title?: string): object {
  return {
    ...(title === undefined ? {} : { title }),
    type: "object",
    required: columns.filter((column) => !column.optional).map((column) => column.name),
    properties: Object.fromEntries(columns.map((column) => [column.name, property(column)])),
  };
}

function property({ kind, nullable, doc, unit, values, json }: Column): object {
  const description = unit ? `${doc} Unit: ${unit}.` : doc;
  if (json) return { ...json, description };
  const { type, ...form } = kind_schemas[kind];
  return {
    type: nullable ? [type, "null"] : type,
    ...form,
    ...(values ? { enum: nullable ? [...values, null] : values } : {}),
    description,
  };
}

const kind_schemas: Record<Kind, { readonly type: string; readonly [form: string]: unknown }> = {
  text: { type: "string" },
  float64: { type: "number", format: "double" },
  int64: { type: "integer", format: "int64" },
  int32: { type: "integer", format: "int32" },
  uint32: { type: "integer", minimum: 0, maximum: 4_294_967_295 },
  bool: { type: "boolean" },
  instant: { type: "string", format: "date-time" },
};
