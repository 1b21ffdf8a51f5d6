// What expected energy goes to, in the order in which it is told.

/** The losses that have a name. */
export const named_losses = [
  "unavailability",
  "grid",
  "curtailment",
  "clipping",
  "derate",
  "dc",
  "snow",
  "soiling",
] as const;
export type NamedLoss = typeof named_losses[number];

/** Every loss: those that have a name, and what nothing tells of. */
export const all_losses = [...named_losses, "other"] as const;
export type Loss = typeof all_losses[number];
