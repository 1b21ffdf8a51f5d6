// Waits for a real process to come to something.

const look_ms = 100;

/** Looks again until nothing is left, for so long at the most; gives what is left. */
export async function until(
  look: () => Promise<readonly string[]>,
  patience_ms: number,
): Promise<readonly string[]> {
  const end_ms = performance.now() + patience_ms;
  for (;;) {
    const left = await look();
    if (left.length === 0 || performance.now() > end_ms) return left;
    await new Promise((resolve) => setTimeout(resolve, look_ms));
  }
}
