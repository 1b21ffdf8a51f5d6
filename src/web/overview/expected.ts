// What is expected, in words beside what was measured.
import { quantityText } from "../frame/number.ts";
import { say } from "./say.ts";

/** Nothing is expected before sunrise; without a model, or light, it is not known. */
export function ofExpected(expected: number | undefined, unit: "W" | "Wh"): string {
  if (!Number.isFinite(expected)) return say().expected_unknown;
  return expected === 0 ? say().nothing_expected : say().of_expected(quantityText(expected, unit));
}
