// Receivers on real sockets that do as a test says, and who is connected to them.

/** A receiver; `address` is `host:port`. */
export type Receiver = {
  readonly address: string;
  readonly port: number;
  /** Connections accepted so far. */
  readonly accepted: () => number;
  readonly close: () => void;
};

/** What a receiver does with one connection. It is closed afterwards, whatever happens. */
export type Behaviour = (connection: Deno.TcpConn) => Promise<void>;

/** A receiver on `hostname` that meets every connection alike. */
export function receive(behaviour: Behaviour, { hostname = "127.0.0.1", port = 0 } = {}): Receiver {
  const listener = Deno.listen({ hostname, port });
  const open = new Set<Deno.TcpConn>();
  let accepted = 0;
  const meet = async (connection: Deno.TcpConn) => {
    accepted++;
    open.add(connection);
    await behaviour(connection).catch(() => {});
    if (open.delete(connection)) connection.close();
  };
  const accept = async () => {
    for await (const connection of listener) void meet(connection);
  };
  accept().catch(() => {});
  const { port: bound } = listener.addr as Deno.NetAddr;
  return {
    address: `${hostname}:${bound}`,
    port: bound,
    accepted: () => accepted,
    close() {
      listener.close();
      for (const connection of open) connection.close();
      open.clear();
    },
  };
}

/** Reads one whole request; gives its text, or null where the client has gone. */
export async function readRequest(connection: Deno.TcpConn): Promise<string | null> {
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  for (;;) {
    const read = await connection.read(buffer);
    if (read === null) return null;
    text += new TextDecoder().decode(buffer.subarray(0, read));
    const head = text.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (head >= 0 && text.length >= head + 4 + length) return text;
  }
}

/** Answers every request with the same text. */
export function answering(answer: string): Behaviour {
  return async (connection) => {
    while (await readRequest(connection) !== null) await write(connection, answer);
  };
}

/** Writes text whole. */
export async function write(connection: Deno.TcpConn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/** Never says anything, and waits until the client goes. */
export async function hang(connection: Deno.TcpConn): Promise<void> {
  const buffer = new Uint8Array(64 * 1024);
  while (await connection.read(buffer) !== null);
}

/** How many descriptors are open on this machine that lead to a local port. */
export function countClients(port: number): number {
  const lines = Deno.readTextFileSync("/proc/net/tcp").trim().split("\n").slice(1);
  return lines.map((line) => line.trim().split(/\s+/)).filter((words) => {
    const [remote, inode] = [words[2], words[9]];
    return parseInt(remote.split(":")[1], 16) === port && inode !== "0";
  }).length;
}

/** Whether this Deno closes a socket that is not connected, or not secure, yet: 2.7 does not. */
export const closes_early = !Deno.version.deno.startsWith("2.7.");

/** A test on real sockets, of which one may rest for a moment after it. */
export function socketTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });
}
