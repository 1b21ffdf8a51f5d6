// The kinds of value a column holds: the one list from which every face of a column derives.

/** A column's kind. `text` is UTF-8; `instant` is microseconds since 1970 UTC as Int64. */
export type Kind = "text" | "float64" | "int64" | "int32" | "uint32" | "bool" | "instant";

/** The typed array that holds a kind's values in memory (text has `Words` instead). */
export type ValuesOf = {
  float64: Float64Array<ArrayBuffer>;
  int64: BigInt64Array<ArrayBuffer>;
  instant: BigInt64Array<ArrayBuffer>;
  int32: Int32Array<ArrayBuffer>;
  uint32: Uint32Array<ArrayBuffer>;
  /** One byte a row, 0 or 1. */
  bool: Uint8Array<ArrayBuffer>;
};

/** Every kind but text. */
export type FixedKind = keyof ValuesOf;
