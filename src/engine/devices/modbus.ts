// Reads sources of the kind `modbus`: each address by a connection of its own, unit after unit.
import {
  addressOf,
  type ModbusEntry,
  type ModbusMap,
  type ModbusUnit,
  tagName,
} from "../../model/sources/kinds/modbus.ts";
import {
  type Driver,
  failureOf,
  type Link,
  type SetpointCommand,
  SourceFault,
  type SourceTools,
} from "./driver.ts";
import type { CommandEnd } from "../../model/setpoints/setpoint.ts";
import { ModbusClient, UnitFault } from "./modbus_client.ts";
import { carryOut, unsent, type WaitingCommand, WaitingCommands } from "./command.ts";
import { wayTo } from "./modbus_write.ts";
import { UnitReader } from "./modbus_unit.ts";

export const modbus_driver: Driver<ModbusEntry> = {
  open(entry, tools) {
    const maps = new Map(entry.maps.map((map) => [map.key, map]));
    const places = Map.groupBy(entry.units, (unit) => {
      const { host, port } = addressOf(entry, unit);
      return `${host}:${port}`;
    });
    return Array.from(places, ([name, units]) => {
      const readers = units.map((unit) =>
        readerOf(unit, { entry, map: maps.get(unit.map)! }, tools)
      );
      return new ModbusLink({ name, entry, readers, tools });
    });
  },
};

function readerOf(
  unit: ModbusUnit,
  { entry, map }: { readonly entry: ModbusEntry; readonly map: ModbusMap },
  { state, effects }: SourceTools,
): UnitReader {
  const { host, port } = addressOf(entry, unit);
  const name = unit.device ?? `${host}:${port} unit ${unit.unit}`;
  const device = state.device(name, map.points.map((point) => tagName(point, unit)));
  return new UnitReader({ entry, unit, map, device, state, effects });
}

/** The units behind one address. */
class ModbusLink implements Link {
  readonly name: string;
  readonly usual_port = "is Modbus TCP switched on in the device? Its usual port is 502; some " +
    "devices have 503 or 1502";
  readonly period_ms: number;
  readonly #entry: ModbusEntry;
  readonly #readers: readonly UnitReader[];
  readonly #tools: SourceTools;
  readonly #waiting: WaitingCommands<UnitReader>;

  constructor(
    { name, entry, readers, tools }: {
      readonly name: string;
      readonly entry: ModbusEntry;
      readonly readers: readonly UnitReader[];
      readonly tools: SourceTools;
    },
  ) {
    this.name = name;
    this.#entry = entry;
    this.#readers = readers;
    this.#tools = tools;
    this.#waiting = new WaitingCommands(tools.effects);
    this.period_ms = 1000 * Math.min(entry.every_s, entry.slow_s) + entry.timeout_ms;
  }

  send(command: SetpointCommand): Promise<CommandEnd> | undefined {
    const sender = this.#readers.find((it) => it.hasSetpoint(command.tag));
    return sender && this.#waiting.send({ ...command, sender });
  }

  async run(signal: AbortSignal, step: (came: boolean) => void): Promise<void> {
    const { effects } = this.#tools;
    const { timeout_ms, delay_ms, transport, most_registers } = this.#entry;
    const { host, port } = this.#readers[0].place;
    const place = { host, port, transport, timeout_ms, delay_ms, most_registers };
    const client = await ModbusClient.open(place, { effects, signal });
    const close = this.#waiting.open();
    try {
      for (const reader of this.#readers) reader.begin();
      while (!signal.aborted) {
        await this.#turn(client, step);
        await this.#waiting.wait(this.#untilNext(), signal);
        for (;;) {
          // By now they may be those of the next connection.
          const next = signal.aborted ? undefined : this.#waiting.next();
          if (next === undefined) break;
          await this.#write(next, { client, signal, step });
        }
      }
    } finally {
      close();
      client.close();
    }
  }

  /** Sends a value; a fault of its unit is its own, any other ends the connection. */
  async #write(
    waiting: WaitingCommand<UnitReader>,
    { client, signal, step }: {
      readonly client: ModbusClient;
      readonly signal: AbortSignal;
      readonly step: (came: boolean) => void;
    },
  ): Promise<void> {
    const { command, end } = waiting;
    const { effects } = this.#tools;
    try {
      const point = await command.sender.writable(command.tag, client);
      if (point === undefined) return end(unsent(`the device has no point for ${command.tag}`));
      const way = wayTo(point, { client, effects, step: () => step(true) });
      end(await carryOut(way, command, { effects, signal }));
    } catch (error) {
      end(unsent(`the device could not be read before: ${(error as Error).message}`));
      if (!(error instanceof UnitFault)) throw error;
    }
  }

  async failed(failure: ReturnType<typeof failureOf>): Promise<void> {
    for (const reader of this.#readers) {
      await this.#tools.emit(reader.device.failed(failure));
    }
  }

  /**
   * Reads what is due of every unit. Those that are silent come last, and the turn ends with the
   * first of them: the others wait no longer than for one.
   */
  async #turn(client: ModbusClient, step: (came: boolean) => void): Promise<void> {
    const { state, emit } = this.#tools;
    const due = this.#readers.filter((reader) => reader.isDue())
      .sort((a, b) => a.failures - b.failures);
    for (const reader of due) {
      try {
        await emit(await reader.read(client));
        step(true);
      } catch (error) {
        if (!(error instanceof UnitFault)) throw error;
        step(false);
        state.count(error);
        await emit(reader.failed(error));
        break;
      }
    }
    if (!this.#readers.every(({ device }) => device.connected === false)) return;
    // The connection itself may be dead.
    const { length, [0]: { device } } = this.#readers;
    const all = length === 1 ? "" : `none of ${length} units answers: connecting again. `;
    const message = `${all}${device.last_error}`;
    throw new SourceFault({ kind: "timeouts", message });
  }

  /** Milliseconds until something is due, on the clock's own grid. */
  #untilNext(): number {
    return Math.min(...this.#readers.map((reader) => reader.untilDue()));
  }
}
