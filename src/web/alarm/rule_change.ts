// What one version of a rule has otherwise than the one before. Pure.

type Definition = Readonly<Record<string, unknown>>;

/** Each field that differs, as `name: before → after`. */
export function changesOf(before: Definition, after: Definition): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => `${name}: ${textOf(before[name])} → ${textOf(after[name])}`);
}

function textOf(value: unknown): string {
  if (value === undefined) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}
