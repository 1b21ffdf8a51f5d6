// The only door to clock, dice, timers, environment, console and network; handed in from main.
import { setImmediate } from "node:timers";
import { type Connect, type LookUp, systemConnect, systemResolve } from "./effects_line.ts";
import type { Post, Posted } from "./effects_post.ts";
import { type OtherSelf, type SelfTask, startSelf } from "./effects_self.ts";
import { sleep } from "./effects_sleep.ts";

export { giveWay, isLongAt, isLongTurn, rowsToLook } from "./effects_sleep.ts";

/** Everything the program does not decide itself. Tests hand in a record of their own. */
export type Effects = {
  /**
   * Wall clock, microseconds since 1970 UTC, an integer: it may be set, forth and back. For what
   * people and sources say: times of samples, shelves, months; ends of tokens, secrets and keys.
   */
  readonly now_us: () => number;
  /**
   * A clock that never jumps, in milliseconds; it begins anywhere, and `sleep` goes by it. For how
   * long something takes or waits: retries, breakers, throttles, timeouts, beats, flushes, caches.
   */
  readonly monotonic_ms: () => number;
  /** Resolves after `wait_ms`, 24 days at most, or at once when one of `signals` aborts. */
  readonly sleep: (wait_ms: number, ...signals: AbortSignal[]) => Promise<void>;
  /** `count` random bytes. */
  readonly random: (count: number) => Uint8Array<ArrayBuffer>;
  /** The environment's variables. */
  readonly env: () => Readonly<Record<string, string>>;
  /** Writes text to standard output. Throws `OutputClosed` where nobody reads it any more. */
  readonly out: (text: string) => void;
  /** The same with bytes. */
  readonly write: (bytes: Uint8Array) => void;
  /** Writes text to standard error, if somebody reads it. */
  readonly err: (text: string) => void;
  /** The same soon: what comes in one turn of the program is written at once, before what errs. */
  readonly log: (text: string) => void;
  /** Keys as they are pressed, until `signal` aborts; none where there is no terminal. */
  readonly keys: (signal: AbortSignal) => AsyncIterable<string>;
  /** Columns of the terminal that standard error is; 0 when it is none. */
  readonly columns: () => number;
  /** Asks a server. */
  readonly request: (request: Request) => Promise<Response>;
  /** The machine's own addresses. */
  readonly addresses: () => readonly string[];
  /** The machine's own name. */
  readonly hostname: () => string;
  /** Tells the supervisor that started this process about it, as `sd_notify` does; never throws. */
  readonly notify: (state: string) => Promise<void>;
  /** Posts to a receiver that nobody vouches for; never throws. */
  readonly post: (post: Post) => Promise<Posted>;
  /** Opens a connection of bytes, as devices speak it. */
  readonly connect: Connect;
  /** Looks a name up. */
  readonly resolve: LookUp;
  /** Starts this program for one question or a task; throws what the system says where it can't. */
  readonly startSelf: (task?: SelfTask) => OtherSelf;
  /**
   * Whether the data are this process's beyond doubt: those of a fleet's shard may be at another
   * node by now. Who may not be the owner sends nothing, and stores nothing where others do.
   */
  readonly owns: () => boolean;
};

/** Whoever read standard output has gone, as `head` does. */
export class OutputClosed extends Error {}

/** Random bytes, of which some are drawn ahead: one draw costs as much as a thousand bytes. */
function randomBytes(): Effects["random"] {
  const drawn = new Uint8Array(4096);
  let used = drawn.length;
  return (count) => {
    if (count > drawn.length) return crypto.getRandomValues(new Uint8Array(count));
    if (used + count > drawn.length) {
      crypto.getRandomValues(drawn);
      used = 0;
    }
    const bytes = new Uint8Array(count);
    for (let i = 0; i < count; i++, used++) {
      bytes[i] = drawn[used];
      drawn[used] = 0;
    }
    return bytes;
  };
}

/** The real world. */
export function systemEffects(): Effects {
  const encoder = new TextEncoder();
  const write = (bytes: Uint8Array) => {
    if (!writeAll(Deno.stdout, bytes)) throw new OutputClosed();
  };
  const errors = new Gathered((text) => void writeAll(Deno.stderr, encoder.encode(text)));
  let post: Promise<Effects["post"]> | undefined;
  return {
    now_us: () => Date.now() * 1000,
    monotonic_ms: () => performance.now(),
    sleep,
    random: randomBytes(),
    env: () => Deno.env.toObject(),
    out: (text) => write(encoder.encode(text)),
    write,
    err: (text) => errors.write(text),
    log: (text) => errors.writeSoon(text),
    keys: readKeys,
    columns: () => Deno.stderr.isTerminal() ? Deno.consoleSize().columns : 0,
    request: (request) => fetch(request),
    addresses: () => Deno.networkInterfaces().map(({ address }) => address),
    hostname: () => Deno.hostname(),
    notify: notifierTo(Deno.env.get("NOTIFY_SOCKET")),
    post: async (what) => await (await (post ??= loadPost()))(what),
    connect: systemConnect,
    resolve: systemResolve,
    startSelf,
    owns: () => true,
  };
}

/** Tells the supervisor that listens at a socket of datagrams; without one there is nobody. */
export function notifierTo(named: string | undefined): Effects["notify"] {
  if (!named) return () => Promise.resolve();
  // An abstract address begins with a zero.
  const path = named.replace(/^@/, "\0");
  return async (state) => {
    try {
      // A sender without a name would need no file; the permissions of the program forbid that.
      const folder = await Deno.makeTempDir();
      try {
        const socket = Deno.listenDatagram({ transport: "unixpacket", path: `${folder}/s` });
        await socket.send(new TextEncoder().encode(state), { transport: "unixpacket", path })
          .finally(() => socket.close());
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    } catch {
      // Deno 2.7 knows no abstract addresses, and a supervisor that is gone hears nothing.
    }
  };
}

/** Its packages take longer to load than all the rest, and a start has no use for them. */
async function loadPost(): Promise<Effects["post"]> {
  const { systemPost } = await import("./effects_post.ts");
  return systemPost();
}

/** Ctrl-C goes on to mean what it does. */
async function* readKeys(signal: AbortSignal): AsyncGenerator<string, void> {
  if (!Deno.stdin.isTerminal() || signal.aborted) return;
  const restore = () => Deno.stdin.setRaw(false);
  Deno.stdin.setRaw(true, { cbreak: true });
  signal.addEventListener("abort", restore, { once: true });
  const room = new Uint8Array(16);
  while (!signal.aborted) {
    const count = await Deno.stdin.read(room);
    if (count === null) return;
    yield new TextDecoder().decode(room.subarray(0, count));
  }
}

/** Texts on their way out, of which those that may wait for each other cost one write a turn. */
class Gathered {
  readonly #put: (text: string) => void;
  #waiting = "";

  constructor(put: (text: string) => void) {
    this.#put = put;
    // The end of the program waits for nothing.
    globalThis.addEventListener("unload", () => this.#flush());
  }

  write(text: string): void {
    this.#waiting += text;
    this.#flush();
  }

  writeSoon(text: string): void {
    if (this.#waiting === "") setImmediate(() => this.#flush());
    this.#waiting += text;
  }

  #flush(): void {
    const text = this.#waiting;
    this.#waiting = "";
    try {
      if (text !== "") this.#put(text);
    } catch {
      // A full disk takes the log's lines, not the program: there is nobody left to tell.
    }
  }
}

/** Writes all of it; says whether somebody reads there. */
function writeAll(to: { writeSync(bytes: Uint8Array): number }, bytes: Uint8Array): boolean {
  try {
    for (let at = 0; at < bytes.length;) at += to.writeSync(bytes.subarray(at));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return false;
    throw error;
  }
}
