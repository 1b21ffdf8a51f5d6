// What a driver of one kind of source gets and gives, and how its connections are kept alive.
import { getLogger } from "@logtape/logtape";
import type { Effects } from "../../base/effects.ts";
import { LineFault } from "../../base/effects_line.ts";
import { inTime } from "../../base/in_time.ts";
import type { SnapshotRow } from "../../model/alarms/row.ts";
import type { ConditionAlarm } from "../../model/sources/condition.ts";
import { source_limits } from "../../model/sources/limits.ts";
import type { CommandEnd, SetpointEntry } from "../../model/setpoints/setpoint.ts";
import type { RowColumns } from "../../wire/sources/row_columns.ts";
import type { LatestValue } from "../samples/latest.ts";
import type { SourceFailure, SourceRow, SourceState } from "./state.ts";

const log = getLogger(["wattkeeper", "sources"]);

/** What a driver works with. */
export type SourceTools = {
  readonly effects: Pick<
    Effects,
    "now_us" | "monotonic_ms" | "sleep" | "random" | "connect" | "owns"
  >;
  readonly state: SourceState;
  /** Takes samples; resolves when there is room for more. */
  readonly emit: (rows: readonly SourceRow[]) => Promise<void>;
  /** The same; resolves when they are on disk, or never will be. Throws at the source's end. */
  store(rows: readonly SourceRow[] | RowColumns): Promise<void>;
  /** The newest sample of a tag, from before the start too. */
  readonly newest: (tag: string) => Promise<LatestValue | undefined>;
  /** The newest samples of tags since an instant that have a value, with when they were stored. */
  readonly lastValues: (
    tags: readonly string[],
    from_us: number,
  ) => Promise<ReadonlyMap<string, LastValue>>;
  /** The alarms that it has raised. */
  readonly alarms: SourceAlarms;
  /** The folder of certificates that are trusted, and of the own one. */
  readonly certificates: string;
  /**
   * The addresses of a host; throws a `LineFault` for one that must not be reached. Who connects
   * takes one of these: a name may have others a moment later. `effects.connect` asks it itself.
   */
  readonly vet: (host: string) => Promise<readonly string[]>;
  /** The text of a file of the organization's secrets; throws a `SourceFault`. */
  readonly secret: (name: string) => Promise<string>;
};

/** The alarms of a source, in the database. */
export type SourceAlarms = {
  /** Key of the site that they are of. */
  readonly site: string;
  /** The newest alarm of each condition. */
  standing(): Promise<readonly ConditionAlarm[]>;
  /** Resolves when they are on disk, or never will be. Throws at the source's end. */
  store(rows: readonly SnapshotRow[]): Promise<void>;
};

/** When a value was, by its source, and when it was stored. */
export type LastValue = { readonly ts_us: number; readonly received_us: number };

/** A value for a setpoint. */
export type SetpointCommand = {
  readonly tag: string;
  readonly value: number;
  readonly limits: SetpointEntry;
};

/** One connection of a source: each is run by itself, and none waits for another. */
export type Link = {
  /** Where it leads to: `10.0.0.12:502`. */
  readonly name: string;
  /** Which port is usual, for whoever finds that nothing listens at this one. */
  readonly usual_port?: string;
  /** How long it takes at most from one step to the next while all is well, as is known now. */
  readonly period_ms: number;
  /**
   * Connects and reads until `signal` aborts; calls `step` after each thing that it did, and says
   * whether something came. Throws what ends the connection.
   */
  run(signal: AbortSignal, step: (came: boolean) => void): Promise<void>;
  /** Is told that there is no connection, or that it has ended. */
  failed(failure: SourceFailure): Promise<void>;
  /** Sends a value to one of its setpoints; undefined where it has none of that tag. */
  send?(command: SetpointCommand): Promise<CommandEnd> | undefined;
};

/** Reads the sources of one kind. */
export type Driver<Entry> = {
  /** The connections of a source; nothing is opened yet. */
  open(entry: Entry, tools: SourceTools): readonly Link[];
};

/** What is wrong with what came over a connection. */
export class SourceFault extends Error {
  readonly kind: SourceFailure["kind"];

  constructor({ kind, message }: SourceFailure) {
    super(message);
    this.kind = kind;
  }
}

/** What a driver threw, for people. Anything but its own faults is one of ours, and is logged. */
export function failureOf(error: unknown): SourceFailure {
  if (error instanceof SourceFault) return error;
  if (error instanceof LineFault) return { kind: line_errors[error.kind], message: error.message };
  log.error("reading a source failed: {error}", { error });
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "protocol", message: `an error in the program: ${message}` };
}

/** The failure; where nothing listens, or nothing ever came, with the port that is usual. */
function withPort(
  error: unknown,
  { usual_port, has_come }: Pick<Link, "usual_port"> & { readonly has_come: boolean },
): SourceFailure {
  const failure = failureOf(error);
  if (usual_port === undefined || !(error instanceof LineFault)) return failure;
  const is_strange = error.kind === "broken" && !has_come;
  if (error.kind !== "refused" && !is_strange) return failure;
  const message = failure.message + (is_strange ? " before anything came" : "");
  return { ...failure, message: `${message}; ${usual_port}` };
}

const line_errors = {
  ...{ refused: "refused", unreachable: "refused", broken: "refused" },
  ...{ timeout: "timeouts", untrusted: "denied", forbidden: "denied" },
} as const satisfies Record<LineFault["kind"], SourceFailure["kind"]>;

/**
 * Runs a connection until `signal` aborts. One that ends is made again, after a time that doubles
 * while nothing comes; one that makes no step for too long is ended first.
 */
export async function keepRunning(
  link: Link,
  { effects, state }: SourceTools,
  signal: AbortSignal,
): Promise<void> {
  const patienceMs = () =>
    Math.max(source_limits.watch_ms, source_limits.watch_periods * link.period_ms);
  let failures = 0;
  let has_come = false;
  let telling: SourceFailure | undefined;
  while (!signal.aborted) {
    let stepped_ms = effects.monotonic_ms();
    const step = (came: boolean) => {
      stepped_ms = effects.monotonic_ms();
      has_come ||= came;
      if (came) failures = 0;
    };
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    let failure: SourceFailure | undefined;
    let patience_ms = patienceMs();
    const running = link.run(either, step).catch((error) => {
      // What it throws because it was told to end is nobody's failure.
      if (!either.aborted) failure = withPort(error, { usual_port: link.usual_port, has_come });
    }).finally(() => ended.abort());
    for (;;) {
      patience_ms = patienceMs();
      const left_ms = stepped_ms + patience_ms - effects.monotonic_ms();
      if (left_ms <= 0 || either.aborted) break;
      await effects.sleep(left_ms, either);
    }
    const is_stuck = !either.aborted;
    ended.abort();
    // One that does not end when told to is left alone: its connection is closed.
    await inTime(running, { wait_ms: source_limits.stop_ms, effects });
    if (signal.aborted) return;
    if (is_stuck) {
      const message = `nothing came for ${Math.round(patience_ms / 1000)} s: connecting again`;
      failure = { kind: "timeouts", message };
    }
    failure ??= { kind: "refused", message: "the connection has ended" };
    telling = failures === 0 || !isVague(failure) ? failure : telling;
    failure = withCause(failure, telling);
    state.count(failure);
    await link.failed(failure);
    failures++;
    await effects.sleep(spread(restMs(failures), effects), signal);
  }
}

/** Whether a failure says no more than that there is no connection. */
function isVague({ message }: SourceFailure): boolean {
  return vague_failures.some((vague) => message.startsWith(vague));
}

const vague_failures = ["the connection", "nobody answered", "nothing came"] as const;

/** A vague failure with the last one before it, since something came, that says more. */
function withCause(failure: SourceFailure, cause: SourceFailure | undefined): SourceFailure {
  if (cause === undefined || !isVague(failure) || cause.message === failure.message) return failure;
  if (isVague(cause)) return failure;
  return { ...failure, message: `${failure.message}; before that: ${cause.message}` };
}

/** How long to rest after failures in a row: twice as long after each, up to a bound. */
export function restMs(failures: number): number {
  const rest_ms = source_limits.retry_ms * 2 ** Math.min(failures - 1, 16);
  return Math.min(source_limits.retry_most_ms, rest_ms);
}

/** About that long: many that failed together are not tried together. */
export function spread(wait_ms: number, { random }: Pick<Effects, "random">): number {
  return wait_ms * (0.8 + 0.4 * random(1)[0] / 255);
}
