// A value that many ask for, made once for all of them.
import type { Effects } from "./effects.ts";

/**
 * A function that gives what `make` gave when it was last begun, for as long as that is younger
 * than `age_ms`; then it is made anew, by one caller at a time for all who ask meanwhile. What
 * `make` throws is thrown to all of them.
 */
export function recent<T>(
  make: () => Promise<T>,
  { age_ms, effects }: {
    readonly age_ms: number;
    readonly effects: Pick<Effects, "monotonic_ms">;
  },
): () => Promise<T> {
  let value: Promise<T> | undefined;
  let begun_ms = 0;
  let is_making = false;
  return () => {
    const is_fresh = is_making || effects.monotonic_ms() - begun_ms < age_ms;
    if (value && is_fresh) return value;
    is_making = true;
    begun_ms = effects.monotonic_ms();
    return value = make().finally(() => is_making = false);
  };
}
