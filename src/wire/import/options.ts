// What a person can say of a file to import; what is left out is found out from its content.
import type { TagLane } from "../../model/plant/plant.ts";
import type { DecimalSign } from "./number.ts";
import type { TimeForm } from "./time.ts";

/** How a table is to be read. */
export type TableOptions = {
  /** Columns of the rows' times by their names, or by numbers from 1 where no name is such. */
  readonly time_columns?: readonly string[];
  readonly time_form?: TimeForm;
  /** Zone of times without an offset: an IANA name or a fixed offset. It overrides the file. */
  readonly timezone?: string;
  /** The same where neither a person nor the file says it: the project's. */
  readonly home_timezone?: string;
  readonly delimiter?: string;
  readonly decimal?: DecimalSign;
  /** Lines before the header row. */
  readonly skip_rows?: number;
  /** Columns that say what a row's values are of, such as a device; `[]` for none. */
  readonly key_columns?: readonly string[];
  /** Put before each tag. */
  readonly prefix?: string;
  /** Tags by the names that the file gives; `false` leaves a column out. */
  readonly tags?: ReadonlyMap<string, string | false>;
  /** More texts that mean no value. */
  readonly no_values?: readonly string[];
  /**
   * `end`: times mark a row's end and are moved back by the usual step between rows. By default
   * that is so in TOA5, but for its columns of instantaneous samples.
   */
  readonly label?: "start" | "end";
  readonly lane?: TagLane;
};

/** Gives a file's bytes from an offset on. */
export type Source = (offset: number) => AsyncIterable<Uint8Array>;

/** Where to begin: the offset of a line's first byte, and its number from 1. */
export type LineStart = { readonly offset: number; readonly line: number };
