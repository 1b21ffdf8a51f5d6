// Connections of bytes to devices and brokers: made within a time, ended at once when told to.
import { concat } from "./bytes.ts";
import { limits } from "./limits.ts";

/** Where a line leads to, how long it may take to be made, and what ends it. */
export type LinePlace = {
  readonly host: string;
  readonly port: number;
  readonly timeout_ms: number;
  /** Closes it at once, at any time. */
  readonly signal: AbortSignal;
};

/** An open line. Whatever is called on a closed one throws a `LineFault`. */
export type Line = {
  /** Sends all of the bytes. */
  readonly send: (bytes: Uint8Array) => Promise<void>;
  /** The bytes that came since, at least one; undefined where the other side has closed. */
  readonly receive: () => Promise<Uint8Array | undefined>;
  readonly close: () => void;
};

/** Opens a line; throws a `LineFault`. */
export type Connect = (place: LinePlace) => Promise<Line>;

/** Why there is no line, or no longer one; `timeout` where nobody answered in time. */
export class LineFault extends Error {
  readonly kind: "refused" | "timeout" | "unreachable" | "broken";

  constructor(kind: LineFault["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The real network. */
export async function systemConnect(
  { host, port, timeout_ms, signal }: LinePlace,
): Promise<Line> {
  signal.throwIfAborted();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeout_ms);
  const either = AbortSignal.any([signal, late.signal]);
  const opening = Deno.connect({ hostname: host, port });
  try {
    const socket = await untilAborted(opening, either);
    // A question is one small packet, and its answer is waited for.
    socket.setNoDelay(true);
    return lineOf(socket, signal);
  } catch (error) {
    if (!either.aborted) throw faultOf(error, port);
    // It may still be made, for nobody.
    opening.then((socket) => socket.close(), () => {});
    throw new LineFault("timeout", `nobody answered within ${timeout_ms / 1000} s`);
  } finally {
    clearTimeout(timer);
  }
}

function lineOf(socket: Deno.TcpConn, signal: AbortSignal): Line {
  let is_open = true;
  const close = () => {
    if (!is_open) return;
    is_open = false;
    signal.removeEventListener("abort", close);
    socket.close();
  };
  signal.addEventListener("abort", close);
  if (signal.aborted) close();
  const room = new Uint8Array(limits.line_read_bytes);
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!is_open) throw closed();
    try {
      return await work();
    } catch (error) {
      if (!is_open) throw closed();
      close();
      throw faultOf(error);
    }
  };
  return {
    send: (bytes) =>
      guarded(async () => {
        for (let at = 0; at < bytes.length;) at += await socket.write(bytes.subarray(at));
      }),
    receive: () =>
      guarded(async () => {
        const count = await socket.read(room);
        return count === null ? undefined : concat([room.subarray(0, count)]);
      }),
    close,
  };
}

const closed = () => new LineFault("broken", "the connection is closed");

function faultOf(error: unknown, port?: number): Error {
  const { errors } = Deno;
  if (error instanceof errors.ConnectionRefused) {
    return new LineFault("refused", `nothing listens at port ${port}: the connection is refused`);
  }
  const message = error instanceof Error ? error.message : String(error);
  if (/lookup|resolve|Name or service/i.test(message)) {
    return new LineFault("unreachable", "the name has no address");
  }
  if (error instanceof errors.TimedOut) return new LineFault("timeout", "nobody answered");
  if (port !== undefined) return new LineFault("unreachable", "the address can't be reached");
  return new LineFault("broken", "the connection broke");
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    work.then(resolve, reject);
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
