// Writes a value to a point of a unit, and reads back what the device has then.
import type { Effects } from "../../base/effects.ts";
import { changeFlaw, type CommandEnd, type SetpointEntry } from "../../model/setpoints/setpoint.ts";
import { setpoint_limits } from "../../model/setpoints/limits.ts";
import { Registers, type Run, type WriteRequest } from "../../wire/sources/modbus.ts";
import { type ModbusClient, ModbusRefusal, UnitFault } from "./modbus_client.ts";

/** A point that can be written, where it lies in its unit. */
export type WritablePoint = {
  readonly unit: number;
  readonly table: WriteRequest["table"];
  /** What is written; and all that must be read for its value. */
  readonly own: Run;
  readonly runs: readonly Run[];
  /** Its value in what was read; null where it has none. */
  readonly valueOf: (registers: Registers) => number | null;
  /** The bytes of a value beside what was read, or why there are none. */
  readonly bytesOf: (value: number, registers: Registers) => Uint8Array | string;
};

type WriteParts = {
  readonly client: Pick<ModbusClient, "read" | "write">;
  readonly effects: Pick<Effects, "monotonic_ms" | "sleep" | "now_us">;
  readonly signal: AbortSignal;
  /** Is called after each answer. */
  readonly step: () => void;
};

/**
 * Sends a value once, and reads until the device has it or its time is over. Nothing is thrown
 * here: what broke the connection shows again when it is next used.
 */
export async function writePoint(
  point: WritablePoint,
  { value, limits }: { readonly value: number; readonly limits: SetpointEntry },
  parts: WriteParts,
): Promise<CommandEnd> {
  let before: number | null = null;
  const unsent = (reason: string): CommandEnd => ({
    outcome: "not_sent",
    reason,
    before,
    after: null,
  });
  let bytes: Uint8Array | string;
  try {
    const registers = await readAll(point, parts);
    before = point.valueOf(registers);
    bytes = changeFlaw({ value, before }, limits) ?? point.bytesOf(value, registers);
  } catch (error) {
    return unsent(`the device could not be read before: ${messageOf(error)}`);
  }
  if (typeof bytes === "string") return unsent(bytes);
  let unanswered: string | undefined;
  try {
    const { unit, table, own: { address } } = point;
    await parts.client.write({ unit, table, address, bytes });
  } catch (error) {
    if (error instanceof ModbusRefusal) {
      return { outcome: "refused", reason: error.message, before, after: before };
    }
    unanswered = messageOf(error);
    if (!(error instanceof UnitFault)) {
      return { outcome: "unknown", reason: unanswered, before, after: null };
    }
  }
  return { before, ...await confirm(point, { bytes, limits, unanswered }, parts) };
}

/** Reads until the device has what was written, or the time is over. */
async function confirm(
  point: WritablePoint,
  { bytes, limits: { unit, confirm_ms }, unanswered }: {
    readonly bytes: Uint8Array;
    readonly limits: SetpointEntry;
    readonly unanswered: string | undefined;
  },
  parts: WriteParts,
): Promise<Omit<CommandEnd, "before">> {
  const { effects, signal } = parts;
  const until_ms = effects.monotonic_ms() + confirm_ms;
  let after: number | null = null;
  let unread: string | undefined;
  for (;;) {
    try {
      const registers = await readAll(point, parts);
      after = point.valueOf(registers);
      unread = undefined;
      const has = registers.get(point.own)!.bytes;
      if (has.every((byte, i) => byte === bytes[i])) {
        return { outcome: "confirmed", reason: null, after };
      }
    } catch (error) {
      [after, unread] = [null, messageOf(error)];
      if (!(error instanceof UnitFault)) break;
    }
    if (signal.aborted || effects.monotonic_ms() >= until_ms) break;
    await effects.sleep(setpoint_limits.look_again_ms, signal);
  }
  const has = after === null ? "has no value" : `has ${after} ${unit}`;
  if (unread !== undefined) {
    const reason = `it could not be read back: ${unread}`;
    return { outcome: "unknown", reason: unanswered ? `${unanswered}; ${reason}` : reason, after };
  }
  if (unanswered !== undefined) {
    return { outcome: "unknown", reason: `${unanswered}; it ${has}`, after };
  }
  return { outcome: "refused", reason: `the device took it, and ${has} after that`, after };
}

async function readAll(
  { unit, runs }: WritablePoint,
  { client, effects, step }: WriteParts,
): Promise<Registers> {
  const registers = new Registers();
  for (const run of runs) {
    registers.put(run, await client.read({ ...run, unit }), effects.now_us());
    step();
  }
  return registers;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
