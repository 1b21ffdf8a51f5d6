// What the process of a shard says of its plant's outline, of which the catalogue has a copy.

/** Null: it is to count no more, as it changes. Else base64 of what is to be in its place. */
export type OutlineWord = {
  /** The number that the catalogue gave last; what happened to the outline since ends this. */
  readonly after_no: number;
  readonly outline: string | null;
};
