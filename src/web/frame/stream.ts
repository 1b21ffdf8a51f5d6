// A connection that stays: resumed from the last event, tried again with longer and longer waits.

/** A connection as the browser makes it. */
export type Connection = {
  readonly addEventListener: (type: string, then: (event: Event) => void) => void;
  readonly close: () => void;
};

/** How connections are made, and what time passes by. */
type Means = {
  readonly connect: (address: string) => Connection;
  readonly after: (wait_ms: number, then: () => void) => () => void;
};

/** What is told of a connection. */
type Heard = {
  /** It is there, for the first time or again. */
  readonly onOpen: () => void;
  /** It is gone; it is tried again by itself. */
  readonly onCut: () => void;
  /** Data of an event, by the event's name. */
  readonly events: Readonly<Record<string, (data: string) => void>>;
};

const waits_ms = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/** How long to wait before the next try, after so many that failed. */
export function waitBefore(failed: number): number {
  return waits_ms[Math.min(failed, waits_ms.length) - 1] ?? 0;
}

/** Follows a stream until the answer is called. `addressOf` takes the last event's id. */
export function followStream(
  { connect, after }: Means,
  addressOf: (last_event_id: string | undefined) => string,
  { onOpen, onCut, events }: Heard,
): () => void {
  let last_id: string | undefined;
  let failed = 0;
  let callOff = () => {};
  let is_over = false;
  const open = () => {
    const connection = connect(addressOf(last_id));
    let is_here = true;
    const whileHere = (then: (event: Event) => void) => (event: Event) => {
      if (is_here && !is_over) then(event);
    };
    connection.addEventListener(
      "open",
      whileHere(() => {
        failed = 0;
        onOpen();
      }),
    );
    connection.addEventListener(
      "error",
      whileHere(() => {
        is_here = false;
        connection.close();
        onCut();
        callOff = after(waitBefore(++failed), open);
      }),
    );
    for (const [name, take] of Object.entries(events)) {
      connection.addEventListener(
        name,
        whileHere((event) => {
          const { data, lastEventId } = event as MessageEvent<string>;
          last_id = lastEventId || last_id;
          take(data);
        }),
      );
    }
    callOff = () => connection.close();
  };
  open();
  return () => {
    is_over = true;
    callOff();
  };
}
