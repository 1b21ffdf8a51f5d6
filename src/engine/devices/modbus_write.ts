// The way of a value to a point of a unit: its registers, as they are read and written.
import type { Effects } from "../../base/effects.ts";
import { Registers, type Run, type WriteRequest } from "../../wire/sources/modbus.ts";
import { CommandStop, type PointWay } from "./command.ts";
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
  readonly effects: Pick<Effects, "now_us">;
  /** Is called after each answer. */
  readonly step: () => void;
};

/** It failed meanwhile, it works on it, or its gateway heard no answer: nobody refused. */
const unsure: readonly number[] = [4, 5, 11];

/** The way to a point. */
export function wayTo(point: WritablePoint, parts: WriteParts): PointWay<Registers, Uint8Array> {
  const { unit, table, own } = point;
  return {
    read: () => readAll(point, parts),
    valueOf: point.valueOf,
    messageOf(value, registers) {
      const bytes = point.bytesOf(value, registers);
      return typeof bytes === "string" ? { flaw: bytes } : bytes;
    },
    async write(bytes) {
      try {
        await parts.client.write({ unit, table, address: own.address, bytes });
      } catch (error) {
        // After any other fault the device may have done it: what is read back tells.
        if (!(error instanceof ModbusRefusal) || unsure.includes(error.exception)) throw error;
        throw new CommandStop("refused", error.message);
      }
    },
    has: (registers, bytes) => registers.get(own)!.bytes.every((byte, i) => byte === bytes[i]),
    isEnd: (error) => !(error instanceof UnitFault),
  };
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
