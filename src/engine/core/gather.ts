// Answers that lie in several shards of a fleet: how the one that puts them together asks the rest.
import { sha256Hex } from "../../base/digest.ts";
import { Fault } from "../../base/fault.ts";

/** What a shard says to a question: facts, and numbers by name. */
export type PartAnswer = {
  readonly facts?: unknown;
  readonly numbers?: Readonly<Record<string, Float64Array>>;
};

/** The shards that a request concerns. */
export type PartSource = {
  readonly count: number;
  /**
   * What shard `i` of them says. Throws a `Fault` as that says it, and (unavailable) where it does
   * not answer: an answer never has a part alone.
   */
  readonly ask: (i: number, question: object, signal?: AbortSignal) => Promise<PartAnswer>;
};

/** What all of some shards say to one question. */
export async function askAll<Facts>(
  { count, ask }: PartSource,
  question: object,
  signal?: AbortSignal,
): Promise<readonly Facts[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, i) => ask(i, question, signal)),
  );
  return answers.map(({ facts }) => facts as Facts);
}

/** What is said where a shard tells of what this one has not heard of yet. */
export function unheard(what: string): Fault {
  return new Fault("unavailable", `${what} is new and not known here yet; try again shortly`, {
    retry_after_s: 2,
  });
}

/** What tells the groups that a shard has told from any others. */
export function markOf(groups: readonly object[]): string {
  return sha256Hex(JSON.stringify(groups));
}

/**
 * Throws a `Fault` (unavailable) where a shard's groups are not those that it told before: its
 * numbers would be taken for those of other groups.
 */
export function requireMark(groups: readonly object[], mark: string): void {
  if (markOf(groups) === mark) return;
  throw new Fault("unavailable", "the sensors have changed meanwhile; try again shortly", {
    retry_after_s: 2,
  });
}
