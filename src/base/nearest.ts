// "Did you mean …?": the known word nearest to a mistyped one.

/** The nearest of `known` within a third of its length in edits, or undefined. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: { readonly word: string; readonly edits: number } | undefined;
  for (const candidate of known) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    const allowed = Math.min(candidate.length - 1, Math.max(2, candidate.length / 3));
    if (edits <= allowed && (!best || edits < best.edits)) {
      best = { word: candidate, edits };
    }
  }
  return best?.word;
}

/** The end of a message about a mistyped word: `; meant …?`, or nothing where none is near. */
export function meant(word: string, known: Iterable<string>): string {
  const near = nearest(word, known);
  return near === undefined || near === word ? "" : `; meant ${near}?`;
}

function distance(a: string, b: string): number {
  if (a.length > 100 || b.length > 100) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, swap));
    }
    row = next;
  }
  return row[b.length];
}
