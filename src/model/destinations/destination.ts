// A destination as it is kept: where samples of a project are sent beside a centre.
import type { PlainRow } from "../data/row.ts";

/** A destination of a project. */
export const destination_table = {
  /** No other one has it, and none has 0, which is the centre. */
  destination_no: "int32",
  id: "text",
  project_no: "int32",
  /** Unique in its project. */
  key: "text",
  /** JSON of `form.ts`, without secrets. */
  definition: "text",
  /** JSON of its secrets by name, as they are used; sealed where it is stored. */
  secrets: "text",
  /** Name of the token that it was made with. */
  author: "text",
  created_at: "instant",
} as const;

/** A destination of a project. */
export type Destination = PlainRow<typeof destination_table>;
