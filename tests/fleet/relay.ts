// A connection that can be cut: a listener that hands bytes on, until it is told not to.

/** Where a relay listens, and where what comes goes. */
export type Ends = {
  readonly from: Deno.UnixListenOptions & { transport: "unix" } | Deno.TcpListenOptions;
  readonly to: Deno.UnixConnectOptions | Deno.ConnectOptions;
};

/** Hands bytes on in both directions. */
export class Relay {
  readonly #listener: Deno.Listener;
  readonly #open = new Set<Deno.Conn>();
  readonly #to: Ends["to"];
  #is_cut = false;

  constructor({ from, to }: Ends) {
    this.#listener = Deno.listen(from as Deno.TcpListenOptions);
    this.#to = to;
    void this.#accept();
  }

  /** The port of a relay between machines. */
  get port(): number {
    return (this.#listener.addr as Deno.NetAddr).port;
  }

  /** Nothing goes through any more, and what is open breaks. */
  cut(): void {
    this.#is_cut = true;
    for (const connection of this.#open) closed(connection);
    this.#open.clear();
  }

  mend(): void {
    this.#is_cut = false;
  }

  close(): void {
    this.cut();
    this.#listener.close();
  }

  async #accept(): Promise<void> {
    for await (const inner of this.#listener) {
      if (this.#is_cut) closed(inner);
      else void this.#join(inner).catch(() => closed(inner));
    }
  }

  async #join(inner: Deno.Conn): Promise<void> {
    const outer: Deno.Conn = await Deno.connect(this.#to as Deno.ConnectOptions);
    for (const one of [inner, outer]) this.#open.add(one);
    const both = [
      inner.readable.pipeTo(outer.writable),
      outer.readable.pipeTo(inner.writable),
    ];
    await Promise.allSettled(both);
    for (const one of [inner, outer]) {
      this.#open.delete(one);
      closed(one);
    }
  }
}

function closed(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It has closed by itself.
  }
}
