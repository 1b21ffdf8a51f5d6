// Every kind of source, by its name.
import type * as z from "zod";
import { type SourceDefinition, type SourceKind } from "./kind.ts";
import { iec104 } from "./kinds/iec104.ts";
import { modbus } from "./kinds/modbus.ts";
import { mqtt } from "./kinds/mqtt.ts";
import { sparkplug } from "./kinds/sparkplug.ts";
import { opcua } from "./kinds/opcua.ts";

/** The kinds. One that is missing, or lacks a part, fails the type check. */
export const source_definitions = {
  modbus,
  mqtt,
  sparkplug,
  opcua,
  iec104,
} satisfies {
  readonly [K in SourceKind]: SourceDefinition<
    z.ZodObject<{ readonly kind: z.ZodLiteral<K> }>
  >;
};

/** The form of a source of any kind. */
export type SourceForm = typeof source_definitions[SourceKind]["form"];

/** A source of one kind, with every default filled in. */
export type EntryOf<K extends SourceKind> = z.output<typeof source_definitions[K]["form"]>;

/** A source, with every default filled in. */
export type SourceEntry = EntryOf<SourceKind>;

/** What a source is checked and described by. */
export function sourceDefinition(
  { kind }: { readonly kind: SourceKind },
): SourceDefinition<SourceForm> {
  return source_definitions[kind] as SourceDefinition<SourceForm>;
}
