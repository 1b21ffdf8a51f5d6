// One Modbus unit: what is read of it and when.
import type { Effects } from "../../base/effects.ts";
import {
  addressOf,
  type ModbusEntry,
  type ModbusMap,
  type ModbusPoint,
  type ModbusUnit,
  tagName,
} from "../../model/sources/kinds/modbus.ts";
import { blocksOf, type Joining, Registers, type Run } from "../../wire/sources/modbus.ts";
import { WordOrderWatch } from "../../wire/sources/register.ts";
import { isBehindGateway, type ModbusClient, ModbusRefusal, UnitFault } from "./modbus_client.ts";
import { type Item, registerItem, sunspecItem, writableItem } from "./modbus_point.ts";
import type { WritablePoint } from "./modbus_write.ts";
import { restMs, spread } from "./driver.ts";
import type { Device, SourceFailure, SourceRow, SourceState } from "./state.ts";
import { findSunSpec, pointAt, type SunSpecDevice } from "./sunspec.ts";

/** Some points, and the requests that read them. */
type Plan = { readonly items: readonly Item[]; readonly blocks: readonly Run[] };

type Group = ModbusPoint["poll"];
const all_groups: readonly Group[] = ["fast", "slow"];

/** What answers the requests. */
type Client = Pick<ModbusClient, "read">;

/** What a unit is read with. */
type UnitParts = {
  readonly entry: ModbusEntry;
  readonly unit: ModbusUnit;
  readonly map: ModbusMap;
  readonly device: Device;
  readonly state: SourceState;
  readonly effects: Pick<Effects, "now_us" | "monotonic_ms" | "random">;
};

/** Reads one unit. */
export class UnitReader {
  readonly #parts: UnitParts;
  /** Those that have points. */
  readonly #groups: readonly Group[];
  /** Null until it was looked at. */
  #items: readonly Item[] | null = null;
  #joining: Joining = "gaps";
  readonly #orders = new Map<ModbusPoint, WordOrderWatch>();
  /** By the groups that are due: what is read, in which requests. */
  readonly #plans = new Map<string, Plan>();
  /** Which of its periods each group was read in. */
  #done: Record<Group, number> = { fast: NaN, slow: NaN };
  #failures = 0;
  #retry_ms = -Infinity;

  constructor(parts: UnitParts) {
    this.#parts = parts;
    this.#groups = all_groups.filter((it) => parts.map.points.some(({ poll }) => poll === it));
  }

  get device(): Device {
    return this.#parts.device;
  }

  /** Readings in a row that failed. */
  get failures(): number {
    return this.#failures;
  }

  get place(): { readonly host: string; readonly port: number } {
    return addressOf(this.#parts.entry, this.#parts.unit);
  }

  /** A new connection: what the device has is looked at again. */
  begin(): void {
    this.#items = null;
    this.#plans.clear();
    this.#done = { fast: NaN, slow: NaN };
    this.#retry_ms = -Infinity;
  }

  isDue(): boolean {
    return this.untilDue() <= 0;
  }

  /** Milliseconds until something of it is due. */
  untilDue(): number {
    const { effects } = this.#parts;
    if (this.#failures > 0) {
      const rest_ms = this.#retry_ms - effects.monotonic_ms();
      if (rest_ms > 0) return rest_ms;
    }
    const now_ms = effects.now_us() / 1000;
    const waits = this.#groups.map((group) => {
      const period_ms = this.#periodMs(group);
      const period = Math.floor(now_ms / period_ms);
      return period === this.#done[group] ? (period + 1) * period_ms - now_ms : 0;
    });
    return Math.min(...waits);
  }

  /** Reads what is due. Throws what `ModbusClient.read` throws, but for refusals of registers. */
  async read(client: Client): Promise<readonly SourceRow[]> {
    const { effects } = this.#parts;
    const now_ms = effects.now_us() / 1000;
    const periods = this.#groups.map((group) => Math.floor(now_ms / this.#periodMs(group)));
    const due = this.#groups.filter((group, i) => periods[i] !== this.#done[group]);
    this.#items ??= await this.#look(client);
    if (this.#items.length === 0) throw this.#nothing();
    this.#groups.forEach((group, i) => this.#done[group] = periods[i]);
    const rows = await this.#readItems(client, this.#planOf(due, this.#items));
    this.#failures = 0;
    return rows;
  }

  /** It answers, and has nothing of what is wanted: it is looked at again later. */
  #nothing(): UnitFault {
    const { device, map, state } = this.#parts;
    this.#items = null;
    const why = state.notes.findLast((it) => it.startsWith(`${device.name}: `));
    const message = why ?? `it has nothing of the map ${map.key}`;
    return new UnitFault({ kind: "protocol", message });
  }

  /** It gave no answer: it rests for a while, as others wait meanwhile. */
  failed(failure: SourceFailure): readonly SourceRow[] {
    const { effects, entry, device } = this.#parts;
    this.#failures++;
    this.#done = { fast: NaN, slow: NaN };
    const wait_ms = Math.max(entry.timeout_ms, restMs(this.#failures));
    this.#retry_ms = effects.monotonic_ms() + spread(wait_ms, effects);
    return device.failed(failure);
  }

  #periodMs(group: Group): number {
    const { every_s, slow_s } = this.#parts.entry;
    return 1000 * (group === "fast" ? every_s : slow_s);
  }

  #planOf(due: readonly Group[], all: readonly Item[]): Plan {
    const known = this.#plans.get(due.join());
    if (known !== undefined) return known;
    const items = all.filter(({ point }) => due.includes(point.poll));
    const shape = { joining: this.#joining, most: this.#parts.entry.most_registers };
    const plan = { items, blocks: blocksOf(items.flatMap(({ runs }) => runs), shape) };
    this.#plans.set(due.join(), plan);
    return plan;
  }

  async #readItems(client: Client, { items, blocks }: Plan): Promise<readonly SourceRow[]> {
    const { effects, unit, device } = this.#parts;
    const registers = new Registers();
    const failed: ModbusRefusal[] = [];
    for (const block of blocks) {
      try {
        const bytes = await client.read({ ...block, unit: unit.unit });
        registers.put(block, bytes, effects.now_us());
        device.answered();
      } catch (error) {
        if (!(error instanceof ModbusRefusal)) throw error;
        if (!isOfRegisters(error)) failed.push(error);
        this.#refused(block, error);
      }
    }
    // Not the registers are wrong: it has none to give.
    if (failed.length > 0 && failed.length === blocks.length) throw failed[0];
    const rows: SourceRow[] = [];
    for (const { tag, runs, valueOf } of items) {
      const held = registers.get(runs[0]);
      const value = held && valueOf(registers);
      if (held && value !== undefined) rows.push({ tag, ts_us: held.ts_us, value });
    }
    return rows;
  }

  /** A refused block is read in smaller ones from the next time on, at last without its points. */
  #refused(block: Run, refusal: ModbusRefusal): void {
    const { state, device, map } = this.#parts;
    if (isBehindGateway(refusal)) throw refusal;
    state.count(refusal);
    if (!isOfRegisters(refusal)) return;
    this.#plans.clear();
    if (this.#joining !== "single") {
      this.#joining = this.#joining === "gaps" ? "neighbours" : "single";
      // At once: nothing of the group was read.
      this.#done = { fast: NaN, slow: NaN };
      return;
    }
    const gone = (this.#items ?? []).filter(({ runs }) => runs.some((run) => isWithin(run, block)));
    this.#items = (this.#items ?? []).filter((item) => !gone.includes(item));
    for (const { tag, point: { register } } of gone) {
      const shown = register === undefined ? block.address : register;
      state.note(
        `${device.name}: ${tag} is not read: ${refusal.message} (register ${shown} of ` +
          `the map ${map.key}, first_register ${map.first_register}): is that right?`,
      );
    }
  }

  /** The point of a setpoint's tag. Throws what `read` throws. */
  async writable(tag: string, client: Client): Promise<WritablePoint | undefined> {
    this.#items ??= await this.#look(client);
    const item = this.#items.find((it) => it.tag === tag);
    if (item?.point.setpoint === undefined) return undefined;
    return writableItem(item, this.#parts.unit);
  }

  /** Whether a tag is one of its setpoints. */
  hasSetpoint(tag: string): boolean {
    const { map, unit } = this.#parts;
    return map.points.some((it) => it.setpoint !== undefined && tagName(it, unit) === tag);
  }

  /** Looks where each point lies in the unit. */
  async #look(client: Client): Promise<readonly Item[]> {
    const { map, unit } = this.#parts;
    const plain = map.points.filter(({ register }) => register !== undefined);
    const named = map.points.filter(({ sunspec }) => sunspec !== undefined);
    return [
      ...plain.map((point) => registerItem(point, { map, unit, heard: this.#orderOf(point) })),
      ...(named.length === 0 ? [] : await this.#lookSunSpec(client, named)),
    ];
  }

  /** Watches whether the words of a point's values come in the order that is said. */
  #orderOf(point: ModbusPoint): ((bytes: Uint8Array) => void) | undefined {
    // Of bits, any word may be the one that changes.
    if (point.mask !== undefined) return undefined;
    const watch = this.#orders.get(point) ?? new WordOrderWatch(point);
    this.#orders.set(point, watch);
    return (bytes) => {
      const other = watch.other(bytes);
      if (other === undefined) return;
      const { device, unit, state } = this.#parts;
      const words = point.words === "big" ? "little" : "big";
      state.note(
        `${device.name}: ${tagName(point, unit)} changes as if its words came in the other ` +
          `order, and raw it would be ${other} then: write words = "${words}"? Where that is no ` +
          "likely value either, the register may be one off (first_register)",
      );
    };
  }

  async #lookSunSpec(
    client: Client,
    named: readonly ModbusPoint[],
  ): Promise<readonly Item[]> {
    const { unit, device, state, entry } = this.#parts;
    const read = (address: number, count: number) =>
      client.read({ unit: unit.unit, table: "holding", address, count });
    const found = await findSunSpec(read, unit);
    if (found === undefined) {
      const other = unit.base === undefined ? undefined : await findSunSpec(read, {});
      throw new UnitFault({ kind: "protocol", message: noSunSpec(device, { unit, other }) });
    }
    for (const note of found.notes) state.note(`${device.name}: ${note}`);
    return named.flatMap((point) => {
      const placed = pointAt(found, point.sunspec!);
      if (!("missing" in placed)) {
        return [sunspecItem(point, { placed, unit, most: entry.most_registers })];
      }
      state.note(`${device.name}: ${placed.missing}`);
      return [];
    });
  }
}

/** Whether other registers, or fewer at once, may be had. */
function isOfRegisters({ exception }: ModbusRefusal): boolean {
  return exception === 2 || exception === 3;
}

/** Why SunSpec is not where it was looked for; `other` is what there is elsewhere. */
function noSunSpec(
  { name }: Device,
  { unit: { base }, other }: { readonly unit: ModbusUnit; readonly other?: SunSpecDevice },
): string {
  const flaw = `${name} has no SunSpec at register ${base ?? "40000, 50000 or 0"}`;
  return other === undefined
    ? `${flaw}: is SunSpec switched on, and is the unit id right?`
    : `${flaw}, but at ${other.base}: leave base out`;
}

function isWithin(run: Run, { table, address, count }: Run): boolean {
  return run.table === table && run.address >= address &&
    run.address + run.count <= address + count;
}
