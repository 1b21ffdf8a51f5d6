// What is drawn, as the address says it: `INV-01:active_power` a device's measure,
// `:inverter:active_power` a measure of the whole plant, `INV-01.P_AC` a tag as it was sent.
// `:expected` at the end of a measure is what the model expects.

/** A curve that is asked for. */
export type Curve =
  | { readonly kind: "sensor"; readonly device: string; readonly measure: string } & Expected
  | { readonly kind: "total"; readonly component: string; readonly measure: string } & Expected
  | { readonly kind: "tag"; readonly tag: string };

type Expected = { readonly is_expected: boolean };

/** How many curves a view has at most. */
export const most_curves = 24;

/** The address's word of a curve. */
export function wordOf(curve: Curve): string {
  const join = (...parts: string[]) => parts.map(encodeURIComponent).join(":");
  if (curve.kind === "tag") return join(curve.tag);
  const end = curve.is_expected ? ["expected"] : [];
  return curve.kind === "sensor"
    ? join(curve.device, curve.measure, ...end)
    : join("", curve.component, curve.measure, ...end);
}

/** The curve of a word; undefined for a word that is none. */
export function curveOf(word: string): Curve | undefined {
  const parts = partsOf(word);
  if (!parts || parts.at(-1) === "") return undefined;
  if (parts.length === 1) return { kind: "tag", tag: parts[0] };
  const is_expected = parts.length > 2 && parts.at(-1) === "expected";
  const [device, measure, more] = is_expected ? parts.slice(0, -1) : parts;
  if (device !== "") {
    return more === undefined ? { kind: "sensor", device, measure, is_expected } : undefined;
  }
  if (more === undefined) return undefined;
  return { kind: "total", component: measure, measure: more, is_expected };
}

/** The words of a list, each once, no more than a view may have. */
export function curveWords(list: string): readonly string[] {
  const words = list.split(",").filter((word) => curveOf(word) !== undefined);
  return [...new Set(words)].slice(0, most_curves);
}

function partsOf(word: string): readonly string[] | undefined {
  try {
    return word.split(":").map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
