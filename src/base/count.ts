// Counts as people read them.

/** A whole number with commas between thousands. The runtime's formats take 20 ms to load. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
