// One client of W12, in a thread of its own: another's work would stand in its waits.
import { dateOf, Reader } from "./read.ts";
import { last_day } from "./world.ts";

/** What a client is told: which request it makes, of whom, and for how long. */
export type ClientOrder = {
  readonly name: WorkName;
  readonly address: string;
  readonly token: string;
  readonly seconds: number;
};

type Target = Pick<ClientOrder, "address" | "token">;

/** One kind of request: how often it is made, and what makes the next one. */
type Work = {
  readonly every_ms: number;
  readonly next: (target: Target) => () => Promise<unknown>;
};

const body_rows = 5_000;

const month = { dt_start: dateOf(last_day - 29), dt_end: dateOf(last_day) };
const day = { dt_start: dateOf(last_day), dt_end: dateOf(last_day) };
const of_plant = [["project_id", "p0"]] as const;

const works = {
  "20 000 values/s": { every_ms: 250, next: nextBody },
  "a month by day": reading(
    (reader) => reader.performance({ ...month, time_interval: "OneDay" }),
  ),
  "a day's quarter-hours": reading(
    (reader) => reader.performance({ ...day, time_interval: "FifteenMinutes" }),
  ),
  "the active alarms": reading(
    (reader) => reader.get("/platform/v1/alarms", [...of_plant, ["active", "true"]]),
  ),
  "the newest values": reading((reader) => reader.get("/platform/v1/signals/latest", of_plant)),
  "a project list": {
    ...reading((reader) => reader.get("/platform/v1/meta/projects", [])),
    every_ms: 200,
  },
} as const satisfies Record<string, Work>;

/** The kinds of requests. */
export type WorkName = keyof typeof works;
export const work_names = Object.keys(works) as readonly WorkName[];

function reading(read: (reader: Reader) => Promise<unknown>): Work {
  return { every_ms: 500, next: (target) => () => read(new Reader(target, target)) };
}

/** A body of values of this moment, made before it is to be sent. */
function nextBody({ address, token }: Target): () => Promise<void> {
  const ts = new Date().toISOString();
  const rows = Array.from(
    { length: body_rows },
    (_, i) => `{"tag":"all.${i}","ts":"${ts}","value":${i / 7}}`,
  );
  const body = new TextEncoder().encode(rows.join("\n"));
  return async () => {
    const answer = await fetch(`${address}/ingest/v1/signals?project_id=p0`, {
      method: "POST",
      headers: { "authorization": `Bearer ${token}`, "content-type": "application/x-ndjson" },
      body,
    });
    const { accepted } = await answer.json();
    if (accepted !== body_rows) throw new Error(`${answer.status}, ${accepted} accepted`);
  };
}

/** One request at each beat, which comes by no other client's time; gives how long each waited. */
async function repeat({ name, seconds, ...target }: ClientOrder): Promise<readonly number[]> {
  const { every_ms, next }: Work = works[name];
  await next(target)();
  const waits: number[] = [];
  const from_ms = performance.now();
  for (let due_ms = from_ms; due_ms < from_ms + seconds * 1000;) {
    const send = next(target);
    const early_ms = due_ms - performance.now();
    if (early_ms > 0) await new Promise((resolve) => setTimeout(resolve, early_ms));
    await send();
    // Where the one before was late, this one has waited since its beat.
    waits.push(performance.now() - due_ms);
    due_ms += every_ms * (0.5 + Math.random());
  }
  return waits;
}

/** What a thread of its own has, which the types of this one do not know. */
type Thread = {
  readonly name?: string;
  onmessage: (event: MessageEvent<ClientOrder>) => void;
  readonly postMessage: (waits: readonly number[]) => void;
};

const thread = globalThis as unknown as Thread;
if (thread.name === "together") {
  thread.onmessage = async ({ data }) => thread.postMessage(await repeat(data));
}
