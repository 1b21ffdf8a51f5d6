// A request's parameters, written once as a table; parsing, errors and OpenAPI derive from it.

/**
 * How a parameter's text is read. `instant`: ISO 8601 with an offset, to microseconds since 1970.
 * `duration`: ISO 8601 (`PT15M`) or short (`15m`), to microseconds. `time`: a day
 * `YYYY-MM-DD`, a local time, or an instant, kept as text. `integer` and `flag` as a number and a
 * boolean.
 */
export type ParamKind = "text" | "instant" | "duration" | "time" | "integer" | "flag";

/** What a parameter can name. */
export type Named = "project" | "site" | "device" | "user";

/** One query or path parameter. */
export type Param = {
  readonly name: string;
  readonly in: "query" | "path";
  readonly kind: ParamKind;
  readonly required: boolean;
  readonly doc: string;
  /** May be given several times; its value is a list (empty when absent). */
  readonly repeated?: true;
  /** Where it names one of these: by its id, or by its key (a user: e-mail); read as its id. */
  readonly names?: Named;
  /** An empty text is as if it were not there, as other tools send it. */
  readonly blank?: true;
  /** The only values allowed. */
  readonly values?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** What it is when absent; without one it is undefined (or an empty list). */
  readonly default?: string | number | boolean;
  /** A value for examples of the reference, whose requests then have the parameter. */
  readonly example?: string;
};

type Plain = {
  text: string;
  instant: number;
  duration: number;
  time: string;
  integer: number;
  flag: boolean;
};
type Value<P extends Param> = P["values"] extends readonly string[] ? P["values"][number]
  : Plain[P["kind"]];
type Present<P extends Param> = P["repeated"] extends true ? readonly Value<P>[]
  : P["required"] extends true ? Value<P>
  : P["default"] extends string | number | boolean ? Value<P>
  : Value<P> | undefined;

/** The values of a table of parameters, by name. */
export type ParamValues<P extends readonly Param[]> = {
  readonly [K in P[number] as K["name"]]: Present<K>;
};
