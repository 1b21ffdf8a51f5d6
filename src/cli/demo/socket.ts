// Sockets of the demo on this machine: where its devices answer, and a line that can be pulled.
import type { Effects } from "../../base/effects.ts";

/** Something that listens on this machine. */
type Listening = { readonly port: number; readonly close: () => void };

/** Listens; each connection has an ear of its own, which may send at any time. */
export function listenFor(
  hear: (send: (bytes: Uint8Array) => void) => (bytes: Uint8Array) => void,
): Listening {
  return listenOn(async (socket) => {
    let sending = Promise.resolve();
    const take = hear((bytes) => {
      // Whoever is gone hears nothing.
      sending = sending.then(() => writeAll(socket, bytes)).catch(() => {});
    });
    for await (const bytes of socket.readable) take(bytes);
  });
}

/** A line to a port of this machine. Pulled, it is cut, and nothing gets through any more. */
export class PullLine {
  readonly #listening: Listening;
  #cut = new AbortController();
  #is_pulled = false;

  constructor(to: number, { connect }: Pick<Effects, "connect">) {
    this.#listening = listenOn(async (near) => {
      const { signal } = this.#cut;
      if (this.#is_pulled) return;
      signal.addEventListener("abort", () => closeQuietly(near), { once: true });
      const place = { host: "127.0.0.1", port: to, timeout_ms: connect_ms, signal };
      const far = await connect(place);
      const back = async () => {
        for (let it = await far.receive(); it !== undefined; it = await far.receive()) {
          await writeAll(near, it);
        }
        closeQuietly(near);
      };
      back().catch(() => closeQuietly(near));
      try {
        for await (const bytes of near.readable) await far.send(bytes);
      } finally {
        far.close();
      }
    });
  }

  get port(): number {
    return this.#listening.port;
  }

  get is_pulled(): boolean {
    return this.#is_pulled;
  }

  /** Pulls it, or puts it back. */
  set is_pulled(is_pulled: boolean) {
    this.#is_pulled = is_pulled;
    if (!is_pulled) return;
    this.#cut.abort();
    this.#cut = new AbortController();
  }

  close(): void {
    this.is_pulled = true;
    this.#listening.close();
  }
}

const connect_ms = 5_000;

function listenOn(serve: (socket: Deno.TcpConn) => Promise<void>): Listening {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.TcpConn>();
  const take = async () => {
    for await (const socket of listener) {
      open.add(socket);
      // Whoever goes away in the middle is let go.
      serve(socket).catch(() => {}).finally(() => {
        open.delete(socket);
        closeQuietly(socket);
      });
    }
  };
  void take();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    close() {
      listener.close();
      open.forEach(closeQuietly);
    },
  };
}

async function writeAll(socket: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await socket.write(bytes.subarray(at));
}

function closeQuietly(socket: Deno.TcpConn): void {
  try {
    socket.close();
  } catch {
    // It was closed from the other side.
  }
}
