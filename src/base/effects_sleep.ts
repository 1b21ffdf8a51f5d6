// Sleeps. Those that end at about the same instant share one timer, and those that one signal ends
// share one listener: a hundred devices are read in the same second. And giving way in long work.
import { setImmediate } from "node:timers";
import { hasNews, waitBeside } from "./c_library.ts";

/** What a timer takes: it does not wait at all where it is to wait longer. */
const longest_wait_ms = 2 ** 31 - 1;

/** Sleeps of `from_ms` and more end at multiples of `step_ms`, never before what was asked. */
const shared = { from_ms: 50, step_ms: 4 } as const;

type Timer = { readonly sleepers: Set<Sleeper>; readonly clear: () => void };
type Sleeper = {
  readonly timer: Timer;
  /** Held here, as Deno 2.7 forgets one that nothing but its listener holds. */
  readonly signals: readonly AbortSignal[];
  readonly resolve: () => void;
};

/** The timers that are shared, by the instant of the clock that never jumps. */
const timers = new Map<number, Timer>();

/** Who sleeps until a signal aborts. */
const by_signal = new WeakMap<AbortSignal, Set<Sleeper>>();

/** Resolves after `wait_ms`, 24 days at most, or at once when one of `signals` aborts. */
export function sleep(wait_ms: number, ...signals: AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    if (signals.some(({ aborted }) => aborted)) return resolve();
    const timer = wait_ms < shared.from_ms ? startTimer(wait_ms, () => {}) : sharedTimer(wait_ms);
    const sleeper = { timer, signals, resolve };
    timer.sleepers.add(sleeper);
    for (const signal of signals) sleepersOf(signal).add(sleeper);
  });
}

function sharedTimer(wait_ms: number): Timer {
  const { step_ms } = shared;
  const now_ms = performance.now();
  const instant_ms = Math.ceil((now_ms + wait_ms) / step_ms) * step_ms;
  const known = timers.get(instant_ms);
  if (known !== undefined) return known;
  const timer = startTimer(Math.ceil(instant_ms - now_ms), () => timers.delete(instant_ms));
  timers.set(instant_ms, timer);
  return timer;
}

function startTimer(wait_ms: number, ended: () => void): Timer {
  const sleepers = new Set<Sleeper>();
  const timer = setTimeout(() => {
    const woken = taken(sleepers);
    // A timer that is set in another timer's turn never fires on Deno 2.7 once native code ran.
    setImmediate(() => wake(woken));
  }, Math.min(wait_ms, longest_wait_ms));
  const clear = () => {
    clearTimeout(timer);
    ended();
  };
  return { sleepers, clear };
}

function sleepersOf(signal: AbortSignal): Set<Sleeper> {
  const known = by_signal.get(signal);
  if (known !== undefined) return known;
  const sleepers = new Set<Sleeper>();
  by_signal.set(signal, sleepers);
  signal.addEventListener("abort", () => wake(taken(sleepers)), { once: true });
  return sleepers;
}

/** The sleepers, who wait for nothing any more. */
function taken(sleepers: ReadonlySet<Sleeper>): readonly Sleeper[] {
  const woken = [...sleepers];
  for (const sleeper of woken) {
    const { timer, signals } = sleeper;
    for (const signal of signals) sleepersOf(signal).delete(sleeper);
    timer.sleepers.delete(sleeper);
    if (timer.sleepers.size === 0) timer.clear();
  }
  return woken;
}

function wake(sleepers: readonly Sleeper[]): void {
  for (const { resolve } of sleepers) resolve();
}

/** How long work may go on before others have their turn: if something has come, or anyway. */
const turn_ms = 3;
const longest_turn_ms = 15;

const looked_rows = 256;

/** What giving way goes by. */
type Loop = {
  readonly now_ms: () => number;
  /** Whether anything has come that the loop has not seen yet; undefined where nobody can tell. */
  readonly hasNews: () => boolean | undefined;
  /** Resolves when the loop has seen all that has come. */
  readonly turn: () => Promise<void>;
};

/** The turns of a thread: when long work lets others between. */
export class Turns {
  readonly #loop: Loop;
  /** When this thread went on last after it had given way. */
  #went_on_ms = -Infinity;

  constructor(loop: Loop) {
    this.#loop = loop;
  }

  async giveWay(): Promise<void> {
    await this.#loop.turn();
    this.goOn();
  }

  /** Others have just had their turn. */
  goOn(): void {
    this.#went_on_ms = this.#loop.now_ms();
  }

  isLong(): boolean {
    const long_ms = this.#loop.now_ms() - this.#went_on_ms;
    if (long_ms < turn_ms) return false;
    // A timer is due without any news.
    return long_ms >= longest_turn_ms || (this.#loop.hasNews() ?? true);
  }
}

const turns = new Turns({ now_ms: () => performance.now(), hasNews, turn: takeTurn });

/** Resolves when all that waits has had its turn: for long work that never pauses by itself. */
export function giveWay(): Promise<void> {
  return turns.giveWay();
}

/** What another thread does; others have their turn while this one waits for it. */
export async function waitFor<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } finally {
    turns.goOn();
  }
}

/** Whether others wait: something has come, and nothing has given way in the last milliseconds. */
export function isLongTurn(): boolean {
  return turns.isLong();
}

/** The same, asked with the number of each row: the clock is looked at once in some hundred. */
export function isLongAt(row: number): boolean {
  return row > 0 && row % looked_rows === 0 && isLongTurn();
}

/** How many rows there are from one to the next at which `isLongAt` looks; none at that itself. */
export function rowsToLook(row: number): number {
  return (looked_rows - row % looked_rows) % looked_rows;
}

type Socket = Pick<Deno.DatagramConn, "receive" | "send" | "addr" | "close">;

/**
 * A socket by which this thread sends itself a byte. The runtime looks at sockets only where it has
 * to wait: for one's own is shortest, a tenth of another thread's wait where processors are busy.
 */
export class Echo {
  readonly #socket: Socket;
  readonly #patience_ms: number;
  readonly #room = new Uint8Array(1);

  constructor(socket: Socket, patience_ms: number) {
    this.#socket = socket;
    this.#patience_ms = patience_ms;
  }

  /** Says whether the byte came back; once it did not, none will. */
  async call(): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(late.resolve, this.#patience_ms, false);
    try {
      // It waits before there is anything to receive.
      const back = this.#own().catch(() => false);
      await this.#socket.send(this.#room, this.#socket.addr);
      if (await Promise.race([back, late.promise])) return true;
    } catch {
      // It was refused.
    } finally {
      clearTimeout(timer);
    }
    this.#socket.close();
    return false;
  }

  /**
   * Whether this thread's own byte came. Any program of the machine may send some: one that is left
   * would be there at once the next time, and who sends ever more is not waited for.
   */
  async #own(): Promise<boolean> {
    const own = this.#socket.addr as Deno.NetAddr;
    for (let bytes = 0; bytes < most_bytes; bytes++) {
      const [, from] = await this.#socket.receive(this.#room) as [Uint8Array, Deno.NetAddr];
      if (from.port === own.port && from.hostname === own.hostname) return true;
    }
    return false;
  }
}

const echo_patience_ms = 1_000;

/** More than wait in a socket at once. */
const most_bytes = 1_000;

/** How long another thread waits, where no byte comes back. */
const wait_us = 20;

/** Undefined where there is none, null before it is known. */
let echo: Echo | undefined | null = null;

let turn: Promise<void> | undefined;

/** All that give way at once share a turn. */
function takeTurn(): Promise<void> {
  return turn ??= passBy().finally(() => turn = undefined);
}

/** Twice: what came is read in the first turn, what answers it at once is sent in the second. */
async function passBy(): Promise<void> {
  if (echo === null) echo = openEcho();
  for (let part = 0; part < 2; part++) {
    if (await echo?.call()) continue;
    echo = undefined;
    // A timer where the C library is of another kind.
    await waitBeside(wait_us).catch(() => sleep(0));
    // A wait that was over before it was looked at has let nobody between.
    return await new Promise((resolve) => setImmediate(resolve));
  }
}

function openEcho(): Echo | undefined {
  // Threads beside the main one have little to do.
  if (hasNews() === undefined) return undefined;
  try {
    const socket = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
    return new Echo(socket, echo_patience_ms);
  } catch {
    return undefined;
  }
}
