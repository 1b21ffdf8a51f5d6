// How many bytes plain data takes in the memory of the runtime, about: measured on V8; memory that
// is given back.

/** Bytes of a text: its head, then one a character, or two if one of them is beyond Latin-1. */
export function textBytes(text: string): number {
  // deno-lint-ignore no-control-regex -- the range is what is asked
  const wide = /[^\u0000-\u00ff]/.test(text);
  return 24 + (wide ? 2 : 1) * text.length;
}

/** Bytes of data as a parser makes it. */
function dataBytes(data: unknown): number {
  if (typeof data === "string") return textBytes(data);
  if (data === null || typeof data !== "object") return typeof data === "number" ? 16 : 0;
  if (Array.isArray(data)) return data.reduce((sum, each) => sum + 8 + dataBytes(each), 40);
  const members = Object.entries(data);
  return members.reduce((sum, [key, value]) => sum + 64 + textBytes(key) + dataBytes(value), 64);
}

/** Bytes of what stands in a record whose keys many others have too. */
export function recordBytes(record: object): number {
  return Object.values(record).reduce((sum, value) => sum + 8 + dataBytes(value), 40);
}

/**
 * Gives memory back that nobody looks into any more. Else the runtime counts it until it collects
 * garbage, and collects the sooner for it: that takes many times what it takes to make the memory.
 */
export function release(...arrays: readonly ArrayBufferView[]): void {
  for (const { buffer } of arrays) {
    if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
  }
}
