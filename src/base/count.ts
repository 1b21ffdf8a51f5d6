// Counts as people read them.

/** How many there are of what a word means: `1 row`, `2 rows`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** A whole number with commas between thousands. The runtime's formats take 20 ms to load. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
