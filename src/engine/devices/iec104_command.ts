// Commands to stations of IEC 60870-5-104: selected, carried out, confirmed, ended, and read back.
import type { Effects } from "../../base/effects.ts";
import { inTime } from "../../base/in_time.ts";
import { setpoint_limits } from "../../model/setpoints/limits.ts";
import {
  type Iec104Command,
  type Iec104Entry,
  type Iec104Point,
  stationTag,
} from "../../model/sources/kinds/iec104.ts";
import { type Asdu, causes, message_types, type StationTime } from "../../wire/sources/iec104.ts";
import {
  interrogation,
  isCommandType,
  readCommand,
  type ReadyCommand,
  readyCommand,
} from "../../wire/sources/iec104_command.ts";
import { rawOf } from "../../wire/sources/raw.ts";
import { CommandStop, HeardValues, isAlike, type PointWay } from "./command.ts";
import type { SourceRow } from "./state.ts";

/** A setpoint of a station. */
export type StationSetpoint = {
  readonly station: number;
  readonly tag: string;
  readonly point: Iec104Point;
  readonly command: Iec104Command;
};

/** The setpoints of a source. */
export function setpointsIn({ stations }: Iec104Entry): readonly StationSetpoint[] {
  return stations.flatMap((station) =>
    station.points.flatMap((point) => {
      const { command, setpoint } = point;
      if (command === undefined || setpoint === undefined) return [];
      return [{ station: station.station, tag: stationTag(point, station), point, command }];
    })
  );
}

type TalkParts = {
  readonly effects: Pick<Effects, "sleep" | "now_us">;
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
  readonly tags: Iterable<string>;
  /** Sends a message. */
  readonly tell: (asdu: Uint8Array) => Promise<void>;
  /** What a station's clock shows now. */
  readonly wallOf: (station: number) => Pick<StationTime, "wall_us" | "is_summer">;
};

/** A message of a type to an object of a station; a command has a value, which answers repeat. */
type Question = Pick<Asdu, "type" | "station" | "address"> & {
  readonly isRepeatedIn?: ReadyCommand["isRepeatedIn"];
};

/** What is waited for: the answer to a question. */
type Awaited = {
  readonly of: Question;
  readonly answered: PromiseWithResolvers<Asdu | undefined>;
};

/** The commands of one connection, one at a time, and the answers to them. */
export class StationCommands {
  readonly #parts: TalkParts;
  readonly #heard: HeardValues;
  /** The one that is under way, and how the station ended it. */
  #awaited: Awaited | undefined;
  #sent: Question | undefined;
  #ended: Asdu | undefined;
  /** Stations that do not tell the value of one point when asked. */
  readonly #unread = new Set<number>();

  constructor(parts: TalkParts) {
    this.#parts = parts;
    this.#heard = new HeardValues(parts.tags);
  }

  /** Takes the values of a message. */
  heard(
    { type: _, ...message }: Asdu,
    rows: readonly SourceRow[],
  ): void {
    const old_us = this.#parts.effects.now_us() - 1000 * setpoint_limits.old_ms;
    // A station that was cut off tells what it has kept, and what it is asked for as it is now.
    const is_asked = message.cause === causes.requested;
    this.#heard.hear(rows, ({ ts_us }) => !is_asked && ts_us < old_us);
    for (const { address } of message.values ?? []) {
      const { station } = message;
      if (isOf({ type: message_types.read, station, address }, this.#awaited?.of)) {
        this.#awaited!.answered.resolve(undefined);
      }
    }
  }

  /** Takes an answer; says whether it is one to a command, be it a late one. */
  answered(asdu: Asdu): boolean {
    const { type, cause } = asdu;
    if (!isCommandType(type) && type !== message_types.read) return false;
    // The end of a command answers no question: it may be that of the one before.
    if (cause === causes.ended) {
      if (isOf(asdu, this.#sent)) this.#ended = asdu;
    } else if (isOf(asdu, this.#awaited?.of)) this.#awaited!.answered.resolve(asdu);
    return true;
  }

  /** The way of values to a setpoint. */
  way({ station, tag, point, command }: StationSetpoint): PointWay<number | null, ReadyCommand> {
    const { address, type: kind, qualifier, timed } = command;
    const scaling = { scale: command.scale ?? point.scale, offset: command.offset ?? point.offset };
    let sent_at: number | undefined;
    let may_ask_all = false;
    this.#sent = undefined;
    this.#ended = undefined;
    return {
      read: async () => {
        const is_told = await this.#look(station, point.address);
        if (this.#ended?.is_negative) throw new CommandStop("refused", ended_badly);
        const newest = this.#heard.newest(tag);
        if (sent_at === undefined || (newest?.at ?? 0) > sent_at) return newest?.value ?? null;
        if (!is_told && may_ask_all) {
          may_ask_all = false;
          await this.#parts.tell(interrogation("values", station));
        }
        throw new Error(`the station has not told ${tag} since`);
      },
      valueOf: (held) => held,
      messageOf: (value) => {
        const place = { kind, station, address, qualifier };
        return readyCommand(place, { raw: rawOf(value, scaling), is_timed: timed }) ??
          { flaw: `a ${kind} command can't hold ${value}` };
      },
      write: async (ready) => {
        sent_at = this.#heard.count;
        may_ask_all = true;
        await this.#carryOut(ready, { station, command });
      },
      has: (held, { raw }) => isAlike(held, raw * scaling.scale + scaling.offset),
      note: () => this.#ended ? undefined : "the station has not told that it has carried it out",
    };
  }

  async #carryOut(
    { type, bytes, isRepeatedIn }: ReadyCommand,
    { station, command: { address, select, timed } }: Pick<StationSetpoint, "station" | "command">,
  ): Promise<void> {
    const { timeout_ms, wallOf } = this.#parts;
    const of = { type, station, address, isRepeatedIn };
    const within = `within ${timeout_ms / 1000} s`;
    const ask = async (step: "select" | "execute") =>
      await this.#ask(of, { asdu: bytes(step, timed ? wallOf(station) : undefined), timeout_ms });
    if (select) {
      const selected = await ask("select").catch(() => undefined);
      if (selected === undefined) {
        const message = `the station did not answer the selection ${within}: nothing was done`;
        throw new CommandStop("not_sent", message);
      }
      demand(selected, "selection");
    }
    this.#sent = of;
    const confirmed = await ask("execute");
    if (confirmed === undefined) throw new Error(`the station did not answer ${within}`);
    demand(confirmed, "command");
  }

  /** Asks a station for the value of a point alone; says whether it is one that tells it. */
  async #look(station: number, address: number): Promise<boolean> {
    if (this.#unread.has(station)) return false;
    const before = this.#heard.count;
    const asdu = readCommand(station, address);
    const of = { type: message_types.read, station, address };
    const answer = await this.#ask(of, { asdu, timeout_ms: setpoint_limits.read_wait_ms });
    if (answer === undefined && this.#heard.count > before) return true;
    this.#unread.add(station);
    return false;
  }

  /** Sends a message and waits for its answer; undefined where none came. */
  async #ask(
    of: Question,
    { asdu, timeout_ms: wait_ms }: { readonly asdu: Uint8Array; readonly timeout_ms: number },
  ): Promise<Asdu | undefined> {
    const { effects, signal, tell } = this.#parts;
    const answered = Promise.withResolvers<Asdu | undefined>();
    this.#awaited = { of, answered };
    try {
      await tell(asdu);
      const came = await inTime(answered.promise, { wait_ms, effects, signal });
      return came ? await answered.promise : undefined;
    } finally {
      this.#awaited = undefined;
    }
  }
}

const ended_badly = "the station has ended the command without carrying it out";

/** Whether a message is of a question: a late answer to a former command has another value. */
function isOf(
  { type, station, address, cause = 0, element }:
    & Pick<Asdu, "type" | "station" | "address">
    & Partial<Pick<Asdu, "cause" | "element">>,
  of: Question | undefined,
): boolean {
  if (type !== of?.type || station !== of.station || address !== of.address) return false;
  // What is not known to a station is so for every value.
  if (of.isRepeatedIn === undefined || cause >= causes.unknown_type) return true;
  return element !== undefined && of.isRepeatedIn(element);
}

/** Throws in words why a station does not do what it was told. */
function demand({ cause, is_negative, station, address, type }: Asdu, what: string): void {
  const reasons: Readonly<Record<number, string>> = {
    [causes.unknown_type]: `it does not know commands of type ${type}: is \`type\` right?`,
    [causes.unknown_cause]: `it takes no commands of type ${type}`,
    [causes.unknown_station]: `there is no station ${station}`,
    [causes.unknown_object]: `it has no command at the address ${address}`,
  };
  const reason = reasons[cause];
  if (reason === undefined && !is_negative) return;
  const why = reason ?? "is it in local operation, blocked, outside its limits, or does it want " +
      "`select`?";
  throw new CommandStop("refused", `station ${station} refuses the ${what}: ${why}`);
}
