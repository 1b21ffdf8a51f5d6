// The number that an alarm is found by: a hash of its source's ID, as it is stored.
import { hash } from "node:crypto";

/** Half of the lower half of an ID's MD5 as unsigned numbers: its lower 32 bits, the 31 above. */
export function idHash(occurrence_id: string): [low: number, high: number] {
  const digest = hash("md5", occurrence_id, "buffer");
  const low = digest.readUInt32LE(8);
  const high = digest.readUInt32LE(12);
  return [(low >>> 1 | high << 31) >>> 0, high >>> 1];
}
