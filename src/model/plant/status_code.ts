// The names of OPC UA status codes, from the standard's own list.
import { StatusCodes } from "node-opcua-status-code";

const by_code = namesByCode();

/** Every known name, in a fixed order. */
export const status_names: readonly string[] = [...by_code.values()];

const places = new Map([...by_code.keys()].map((code, place) => [code, place]));

/** Place in `status_names` of a code's name (its low half is flags), or -1 when it is unknown. */
export function statusPlace(status_code: number): number {
  return places.get((status_code & 0xffff0000) >>> 0) ?? -1;
}

function namesByCode(): Map<number, string> {
  const names = new Map<number, string>();
  for (const { name, value } of Object.values(StatusCodes)) {
    // Of several names with one upper half the plain one, whose flags are 0, comes first.
    const code = (value & 0xffff0000) >>> 0;
    if (value === code && !names.has(code)) names.set(code, name);
  }
  return names;
}
