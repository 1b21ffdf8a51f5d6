// Shared work that one part of it can spoil: what throws is found, and the rest is done without it.
import { Fault } from "./fault.ts";

/** A part that can't be worked on, and what it threw. */
export type Failed<T> = { readonly part: T; readonly error: unknown };

/**
 * Does `work` for all parts at once; where that throws, for each half of them, down to single
 * parts. Gives those that throw alone, in their order: `work` was done for all others. A `Fault` is
 * an answer to whoever asked (a full disk, say) and no part's own: it fails all that share it.
 */
export async function together<T>(
  parts: readonly T[],
  work: (parts: readonly T[]) => Promise<void>,
): Promise<readonly Failed<T>[]> {
  if (parts.length === 0) return [];
  try {
    await work(parts);
    return [];
  } catch (error) {
    return await apart(parts, work, error);
  }
}

/** The same where `work` for all parts has thrown `error` already. */
export async function apart<T>(
  parts: readonly T[],
  work: (parts: readonly T[]) => Promise<void>,
  error: unknown,
): Promise<readonly Failed<T>[]> {
  if (parts.length <= 1 || error instanceof Fault) return parts.map((part) => ({ part, error }));
  const half = parts.length >> 1;
  return [
    ...await together(parts.slice(0, half), work),
    ...await together(parts.slice(half), work),
  ];
}
