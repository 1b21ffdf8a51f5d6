// The driver of IEC 60870-5-104: asks stations for all values, takes what they send by themselves,
// and acknowledges it once it is stored.
import type { Line } from "../../base/effects_line.ts";
import { Bell, inTime, unlessEnded } from "../../base/in_time.ts";
import type { Iec104Entry, Iec104Station } from "../../model/sources/kinds/iec104.ts";
import { stationTag } from "../../model/sources/kinds/iec104.ts";
import { source_limits } from "../../model/sources/limits.ts";
import {
  type Apdu,
  apduBytes,
  ApduReader,
  type Asdu,
  causes,
  frame_numbers,
  message_types,
  type PointQuality,
  type PointValue,
  readAsdu,
} from "../../wire/sources/iec104.ts";
import { clockCommand, interrogation } from "../../wire/sources/iec104_command.ts";
import type { CommandEnd } from "../../model/setpoints/setpoint.ts";
import { carryOut, unsent, WaitingCommands } from "./command.ts";
import {
  type Driver,
  type Link,
  type SetpointCommand,
  SourceFault,
  type SourceTools,
} from "./driver.ts";
import { setpointsIn, StationCommands, type StationSetpoint } from "./iec104_command.ts";
import type { Device, SourceRow } from "./state.ts";
import { StationClock } from "./station_clock.ts";

/** OPC UA's Bad, UncertainLastUsableValue, …SubstituteValue, …EngineeringUnitsExceeded. */
const statuses = {
  is_invalid: 0x8000_0000,
  is_old: 0x4090_0000,
  is_blocked: 0x4090_0000,
  is_substituted: 0x4091_0000,
  is_overflown: 0x4094_0000,
} as const;

export const iec104_driver: Driver<Iec104Entry> = {
  open(entry, tools) {
    const stations = entry.stations.map((it) => new Station(it, { entry, tools }));
    return [linkOf(entry, { tools, stations, setpoints: setpointsIn(entry) })];
  },
};

type Parts = {
  readonly tools: SourceTools;
  readonly stations: readonly Station[];
  readonly setpoints: readonly StationSetpoint[];
};

function linkOf(entry: Iec104Entry, parts: Parts): Link {
  const { host, port, timeout_ms, idle_s } = entry;
  const { tools, stations, setpoints } = parts;
  const commands = new WaitingCommands<StationSetpoint>(tools.effects);
  return {
    ...{ name: `${host}:${port}`, usual_port: "the usual port of IEC 60870-5-104 is 2404" },
    period_ms: idle_s * 1000 + timeout_ms,
    async run(signal, step) {
      const line = await tools.effects.connect({ host, port, timeout_ms, signal });
      try {
        const session = new Session(line, { ...parts, entry, step, signal });
        await commands.beside({
          signal,
          reading: () => session.run(),
          carry: (command, setpoint, signal) => session.send(command, { setpoint, signal }),
        });
      } finally {
        line.close();
      }
    },
    send(command) {
      const sender = setpoints.find(({ tag }) => tag === command.tag);
      return sender && commands.send({ ...command, sender });
    },
    async failed(failure) {
      await tools.store(stations.flatMap(({ device }) => device.failed(failure)));
    },
  };
}

type Target = { readonly tag: string; readonly scale: number; readonly offset: number };

/** What is known of one station, and what its messages become. */
class Station {
  readonly number: number;
  readonly device: Device;
  readonly #points: ReadonlyMap<number, Target>;
  readonly #clock: StationClock;
  readonly #tools: SourceTools;
  /** Addresses that came and that no point has. */
  readonly #unknown = new Set<number>();

  constructor(
    station: Iec104Station,
    { entry, tools }: { readonly entry: Iec104Entry; readonly tools: SourceTools },
  ) {
    this.number = station.station;
    this.#tools = tools;
    this.#clock = new StationClock(entry.timezone);
    this.#points = new Map(
      station.points.map((point) => [
        point.address,
        { tag: stationTag(point, station), scale: point.scale, offset: point.offset },
      ]),
    );
    const tags = Array.from(this.#points.values(), ({ tag }) => tag);
    this.device = tools.state.device(station.device ?? `station ${this.number}`, tags);
  }

  /** The samples of a message's values. */
  rowsOf(values: readonly PointValue[]): readonly SourceRow[] {
    this.device.answered();
    const now_us = this.#tools.effects.now_us();
    return values.flatMap((value) => {
      const target = this.#points.get(value.address);
      if (target) return [this.#rowOf(value, { target, now_us })];
      this.#noteUnknown(value.address);
      return [];
    });
  }

  /** Asks for its clock to show what time it is. */
  clockCommand(): Uint8Array {
    return clockCommand(this.number, this.wall());
  }

  /** What its clock shows, if it is right. */
  wall() {
    return this.#clock.wallAt(this.#tools.effects.now_us());
  }

  #rowOf(
    { value, quality, at }: PointValue,
    { target: { tag, scale, offset }, now_us }: {
      readonly target: Target;
      readonly now_us: number;
    },
  ): SourceRow {
    const is_timed = at !== null && !at.is_invalid;
    const ts_us = is_timed ? this.#clock.instantOf(at, now_us) : now_us;
    if (is_timed && !at.is_short) this.#noteClock(ts_us, now_us);
    const status_code = statusOf(value === null ? { ...quality, is_invalid: true } : quality);
    if (value === null || quality.is_invalid) return { tag, ts_us, status_code };
    const is_plain = scale === 1 && offset === 0;
    return { tag, ts_us, value: is_plain ? value : value * scale + offset, status_code };
  }

  #noteClock(ts_us: number, now_us: number): void {
    this.#tools.state.clock.heard(ts_us, now_us);
    const flaw = this.#clock.flawOf(ts_us, now_us);
    if (flaw !== undefined) this.#tools.state.note(`station ${this.number}: ${flaw}`);
  }

  #noteUnknown(address: number): void {
    if (this.#unknown.size >= source_limits.addresses_noted || this.#unknown.has(address)) return;
    this.#unknown.add(address);
    this.#tools.state.note(`station ${this.number} sends the address ${address}: no point has it`);
  }
}

/** What a quality is as an OPC UA status; undefined for a good one. */
function statusOf(quality: PointQuality): number | undefined {
  for (const [flag, status] of Object.entries(statuses)) {
    if (quality[flag as keyof PointQuality]) return status;
  }
}

/** A command that is to be sent, and how often again. */
type Duty = {
  readonly station: Station;
  readonly bytes: () => Uint8Array;
  readonly every_ms: number;
  due_ms: number;
};

type SessionParts = Parts & {
  readonly entry: Iec104Entry;
  readonly step: (came: boolean) => void;
  readonly signal: AbortSignal;
};

/** One connection, from its start on. */
class Session {
  readonly #line: Line;
  readonly #parts: SessionParts;
  readonly #effects: SourceTools["effects"];
  readonly #stations: ReadonlyMap<number, Station>;
  readonly #reader = new ApduReader();
  readonly #duties: readonly Duty[];
  /** Numbers of the next message that is sent, that comes, and the first that is not stored yet. */
  #send_number = 0;
  #receive_number = 0;
  #stored_number = 0;
  #rows: SourceRow[] = [];
  #keeping: Promise<void> | undefined;
  readonly #full = new Bell();
  #sending: Promise<void> = Promise.resolve();
  readonly #commands: StationCommands;
  /** Whether the station has begun to transmit. */
  #is_started = false;
  /** Until when the station has to answer, and to what. */
  #awaited: { readonly what: string; readonly until_ms: number } | undefined;

  constructor(line: Line, parts: SessionParts) {
    this.#line = line;
    this.#parts = parts;
    this.#effects = parts.tools.effects;
    this.#stations = new Map(parts.stations.map((it) => [it.number, it]));
    this.#duties = parts.stations.flatMap((station) => dutiesOf(station, parts.entry));
    this.#commands = new StationCommands({
      ...{ effects: this.#effects, signal: parts.signal, timeout_ms: parts.entry.timeout_ms },
      tags: parts.setpoints.map(({ tag }) => tag),
      tell: (asdu) => this.#message(asdu),
      wallOf: (station) => this.#stations.get(station)!.wall(),
    });
  }

  /** Sends a value to a setpoint. */
  async send(
    command: SetpointCommand,
    { setpoint, signal }: { readonly setpoint: StationSetpoint; readonly signal: AbortSignal },
  ): Promise<CommandEnd> {
    if (!this.#is_started) return unsent("the device is not connected");
    const way = this.#commands.way(setpoint);
    return await carryOut(way, command, { effects: this.#effects, signal });
  }

  /** Runs until the line ends; throws why it did. */
  async run(): Promise<void> {
    const { signal } = this.#parts;
    await this.#tell({ kind: "link", name: "start" });
    this.#await("the start of the transmission");
    let receiving = this.#line.receive();
    let heard_ms = this.#effects.monotonic_ms();
    const idle_ms = this.#parts.entry.idle_s * 1000;
    for (;;) {
      const next_ms = this.#awaited?.until_ms ?? Math.min(heard_ms + idle_ms, this.#nextDuty());
      const wait_ms = next_ms - this.#effects.monotonic_ms();
      if (await inTime(receiving, { wait_ms, effects: this.#effects, signal })) {
        const bytes = await receiving;
        if (bytes === undefined) throw new SourceFault(hung_up);
        heard_ms = this.#effects.monotonic_ms();
        this.#parts.step(true);
        await this.#take(bytes);
        receiving = this.#line.receive();
      } else if (signal.aborted) return;
      else await this.#fulfil(heard_ms + idle_ms);
    }
  }

  /** Does what is due while nothing came. */
  async #fulfil(idle_at_ms: number): Promise<void> {
    const now_ms = this.#effects.monotonic_ms();
    if (this.#awaited) {
      const { what } = this.#awaited;
      throw new SourceFault({ kind: "timeouts", message: `no answer to ${what}` });
    }
    const duty = this.#duties.find(({ due_ms }) => due_ms <= now_ms);
    if (duty) return await this.#command(duty, now_ms);
    if (now_ms < idle_at_ms) return;
    await this.#tell({ kind: "link", name: "test" });
    this.#await("a test of the connection");
  }

  #nextDuty(): number {
    return this.#duties.reduce((least, { due_ms }) => Math.min(least, due_ms), Infinity);
  }

  async #command(duty: Duty, now_ms: number): Promise<void> {
    duty.due_ms = now_ms + duty.every_ms;
    await this.#message(duty.bytes());
    this.#await(`a command to station ${duty.station.number}: is its number right?`);
  }

  /** Sends a message with the next number. */
  async #message(asdu: Uint8Array): Promise<void> {
    const [sent, received] = [this.#send_number, this.#stored_number];
    this.#send_number = (sent + 1) % frame_numbers;
    await this.#tell({ kind: "message", sent, received, asdu });
  }

  #await(what: string): void {
    const until_ms = this.#effects.monotonic_ms() + this.#parts.entry.timeout_ms;
    this.#awaited = { what, until_ms };
  }

  async #take(bytes: Uint8Array): Promise<void> {
    const { apdus, flaw } = this.#reader.take(bytes);
    for (const apdu of apdus) await this.#takeOne(apdu);
    if (flaw !== undefined) throw new SourceFault({ kind: "protocol", message: flaw });
    if (this.#rows.length > source_limits.held_rows) await this.#keeping;
    const waiting = (this.#receive_number - this.#stored_number + frame_numbers) % frame_numbers;
    if (waiting >= source_limits.gather_frames) this.#full.ring();
    if (waiting > 0) this.#keeping ??= this.#keep().catch(unlessEnded(this.#parts.signal));
  }

  async #takeOne(apdu: Apdu): Promise<void> {
    if (apdu.kind === "link") {
      if (apdu.name === "test") await this.#tell({ kind: "link", name: "tested" });
      if (apdu.name === "started") this.#is_started = true;
      if (apdu.name === "tested" || apdu.name === "started") this.#awaited = undefined;
      return;
    }
    if (apdu.kind === "acknowledged") return;
    if (apdu.sent !== this.#receive_number) {
      const message = `message ${apdu.sent} came where ${this.#receive_number} was due`;
      throw new SourceFault({ kind: "protocol", message });
    }
    this.#receive_number = (apdu.sent + 1) % frame_numbers;
    const asdu = readAsdu(apdu.asdu);
    if (asdu) this.#takeMessage(asdu);
    else this.#flaw("a message can't be read: its length is not what its points need");
  }

  #takeMessage(asdu: Asdu): void {
    const { type, cause, is_negative, is_test, station: number, values } = asdu;
    if (is_test || this.#commands.answered(asdu)) return;
    if (type >= message_types.interrogate) {
      this.#awaited = undefined;
      if (is_negative || cause >= causes.unknown_type) this.#refused({ type, cause, number });
      return;
    }
    const station = this.#stations.get(number);
    if (!station) {
      this.#parts.tools.state.note(`station ${number} sends too: it is not among the stations`);
    } else if (values) {
      const rows = station.rowsOf(values);
      this.#rows.push(...rows);
      this.#commands.heard(asdu, rows);
    } else if (type === message_types.initialized) {
      for (const duty of this.#duties) if (duty.station === station) duty.due_ms = 0;
    } else this.#parts.tools.state.note(`messages of type ${type} are not read`);
  }

  #refused(
    { type, cause, number }: {
      readonly type: number;
      readonly cause: number;
      readonly number: number;
    },
  ): void {
    if (cause !== causes.unknown_station) {
      return this.#flaw(`station ${number} refuses a command (type ${type}, cause ${cause})`);
    }
    const message = `there is no station ${number} behind the connection: is its number right?`;
    this.#stations.get(number)?.device.gone(message);
    this.#flaw(message);
  }

  #flaw(message: string): void {
    this.#parts.tools.state.count({ kind: "protocol", message });
  }

  /** Stores what came, and acknowledges it, until there is no more. */
  async #keep(): Promise<void> {
    while (this.#receive_number !== this.#stored_number) {
      // What comes meanwhile shares the commit, which costs more than it does.
      const wait_ms = source_limits.gather_frames_ms;
      await this.#full.wait({ wait_ms, effects: this.#effects, signal: this.#parts.signal });
      this.#full.still();
      const rows = this.#rows;
      const upto = this.#receive_number;
      this.#rows = [];
      await this.#parts.tools.store(rows);
      this.#stored_number = upto;
      // A line that is closed meanwhile is told of by what reads it.
      await this.#tell({ kind: "acknowledged", received: upto }).catch(() => {});
    }
    this.#keeping = undefined;
  }

  /** Sends a frame behind those that are on their way. */
  #tell(apdu: Apdu): Promise<void> {
    const sending = this.#sending.then(() => this.#line.send(apduBytes(apdu)));
    this.#sending = sending.catch(() => {});
    return sending;
  }
}

const hung_up = { kind: "refused", message: "the station has closed the connection" } as const;

/** What a station is told, the first time at once, in the order of the list. */
function dutiesOf(station: Station, entry: Iec104Entry): readonly Duty[] {
  const { interrogate_s, counters_s, set_clock } = entry;
  const duty = (every_s: number, bytes: () => Uint8Array): Duty => (
    { station, bytes, every_ms: every_s * 1000, due_ms: 0 }
  );
  return [
    ...(set_clock ? [duty(interrogate_s, () => station.clockCommand())] : []),
    duty(interrogate_s, () => interrogation("values", station.number)),
    ...(counters_s === undefined
      ? []
      : [duty(counters_s, () => interrogation("counters", station.number))]),
  ];
}
