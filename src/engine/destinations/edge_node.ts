// A Sparkplug edge node of a project's tags: births, data in a row, rebirth when asked, its death.
import { inTime } from "../../base/in_time.ts";
import { Lock } from "../../base/lock.ts";
import { LineFault } from "../upstream/line.ts";
import type { DestinationOf } from "../../model/destinations/form.ts";
import { destination_limits } from "../../model/destinations/limits.ts";
import type { Tag } from "../../model/plant/plant.ts";
import {
  commandTopic,
  death_metric,
  rebirth_metric,
  sparkplug_namespace,
  stateTopic,
} from "../../model/sources/sparkplug.ts";
import { textOf } from "../../base/bytes.ts";
import { jsonIn } from "../../model/upstream/upstream.ts";
import type { StampSpan } from "../../model/upstream/span.ts";
import { quality_names } from "../../model/samples/sample.ts";
import { keepFacts, readFact } from "../../store/meta.ts";
import type { MqttMessage, MqttNote } from "../../wire/sources/mqtt_packet.ts";
import {
  decodeSparkplug,
  encodeSparkplug,
  type WrittenMetric,
} from "../../wire/sources/sparkplug.ts";
import type { MqttClient } from "../devices/mqtt_client.ts";
import { openBroker, throughBroker } from "./broker.ts";
import type { Carried, Courier, CourierTools } from "./courier.ts";
import { oldestFirst, samplesOf, type SentSample } from "./pieces.ts";

type Entry = DestinationOf<"sparkplug">;

/** Brings what waits as an edge node, the oldest first. */
export function sparkplugCourier(entry: Entry, tools: CourierTools): Courier {
  const node = new EdgeNode(entry, tools);
  return {
    next: oldestFirst(tools, destination_limits.body_rows),
    carry: (span, signal) => node.carry(span, signal),
    tend: (signal) => node.tend(signal),
    notes: () => node.notes,
    close: () => node.close(),
  };
}

/** A tag as a metric. */
type Metric = {
  readonly tag: Tag;
  readonly alias: number;
  readonly type: "double" | "int64" | "string";
  /** The newest sample that was told of it, in microseconds. */
  told_us: number;
};

/** A connection, and what was born on it. */
type Session = {
  readonly client: MqttClient;
  readonly bd_seq: number;
  readonly metrics: Map<number, Metric>;
  /** What ended it. */
  ended: Error | undefined;
  seq: number;
  is_born: boolean;
};

class EdgeNode {
  readonly #entry: Entry;
  readonly #tools: CourierTools;
  /** One message after the other: they are numbered. */
  readonly #lock = new Lock();
  #session: Session | undefined;
  /** Whether the primary host is there, and since when it says so, in milliseconds. */
  #host: { is_online: boolean; ts_ms: number } = { is_online: false, ts_ms: -Infinity };
  #host_came = Promise.withResolvers<void>();
  #ignored = 0;
  #stop = new AbortController();

  constructor(entry: Entry, tools: CourierTools) {
    this.#entry = entry;
    this.#tools = tools;
  }

  get notes(): readonly string[] {
    const note = `${this.#ignored} commands since the start were not obeyed: only a rebirth is`;
    return this.#ignored > 0 ? [note] : [];
  }

  /** Is there, also while nothing waits. */
  async tend(signal: AbortSignal): Promise<void> {
    await this.#lock.run(() => this.#open(signal));
  }

  async carry(span: StampSpan, signal: AbortSignal): Promise<Carried> {
    let [rows, bytes] = [0, 0];
    for await (const samples of samplesOf(this.#tools, span)) {
      await this.#lock.run(async () => {
        const session = await this.#open(signal);
        const unknown = samples.some(({ tag }) => !session.metrics.has(tag.tag_no));
        if (unknown) bytes += await this.#bear(session);
        const by_device = Map.groupBy(samples, ({ tag }) => deviceOf(tag));
        for (const [device, own] of by_device) bytes += await this.#tell(session, device, own);
        // What it has read before this, it has passed on.
        await throughBroker(() => session.client.prove());
        if (session.ended) throw session.ended;
        rows += samples.length;
        this.#tools.count(samples.length);
      });
    }
    return { rows, bytes, asides: [] };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#end();
  }

  /** The session that is there, or a new one, born. */
  async #open(signal: AbortSignal): Promise<Session> {
    if (this.#session?.ended) {
      const { ended } = this.#session;
      await this.#end();
      throw ended;
    }
    const session = this.#session ??= await this.#connect(signal);
    try {
      if (!session.is_born) {
        await this.#awaitHost(session, signal);
        await this.#bear(session);
      }
      return session;
    } catch (error) {
      await this.#end();
      throw error;
    }
  }

  async #connect(signal: AbortSignal): Promise<Session> {
    const bd_seq = await this.#nextSession();
    const { group, node, primary_host } = this.#entry;
    this.#host = { is_online: primary_host === undefined, ts_ms: -Infinity };
    this.#host_came = Promise.withResolvers();
    const states = primary_host === undefined ? [] : [stateTopic(primary_host)];
    const client = await openBroker(this.#entry, {
      tools: this.#tools,
      wish: { will: this.#death(bd_seq), filters: [commandTopic({ group, node }), ...states] },
      signal,
    });
    const session: Session = {
      ...{ client, bd_seq, metrics: new Map(), ended: undefined, seq: 0, is_born: false },
    };
    void this.#hear(session);
    return session;
  }

  /** The number of a session, from 0 to 255, never that of the one before, also after a start. */
  #nextSession(): Promise<number> {
    const { database, destination_no } = this.#tools;
    const name = `destination_${destination_no}_bd_seq`;
    return database.write(async ({ connection }) => {
      const last = await readFact(connection, name);
      const next = last === undefined ? 0 : (Number(last) + 1) % 256;
      await keepFacts(connection, { [name]: next });
      return next;
    });
  }

  /** Waits until the primary host says that it is there. */
  async #awaitHost(session: Session, signal: AbortSignal): Promise<void> {
    const { effects } = this.#tools;
    const { primary_host } = this.#entry;
    const patience = { wait_ms: destination_limits.host_ms, effects, signal };
    if (!this.#host.is_online && !await inTime(this.#host_came.promise, patience)) {
      const reason = `the primary host ${primary_host} is not there: what is stored waits for it`;
      throw new LineFault(reason);
    }
    if (session.ended) throw session.ended;
    signal.throwIfAborted();
  }

  /** Hears commands and the state of the host, until the connection ends. */
  async #hear(session: Session): Promise<void> {
    try {
      for (;;) {
        const taken = await throughBroker(() => session.client.take(this.#stop.signal));
        if (this.#stop.signal.aborted) return;
        await session.client.acknowledge(taken);
        for (const message of taken.messages) await this.#obey(session, message);
      }
    } catch (error) {
      session.ended ??= error instanceof Error ? error : new LineFault(String(error));
      this.#host_came.resolve();
    }
  }

  async #obey(session: Session, { topic, payload }: MqttMessage): Promise<void> {
    const { primary_host } = this.#entry;
    if (primary_host !== undefined && topic === stateTopic(primary_host)) {
      return this.#heed(session, payload);
    }
    const metrics = metricsIn(payload);
    const asks = metrics.some(({ name, raw }) =>
      name === rebirth_metric && raw?.kind === "boolean" && raw.value
    );
    if (metrics.some(({ name }) => name !== rebirth_metric)) this.#ignored++;
    if (asks && session.is_born) await this.#lock.run(() => this.#bear(session));
  }

  /** An older state than the last is no news. */
  #heed(session: Session, payload: Uint8Array): void {
    const said = jsonIn(textOf(payload)) as
      | { readonly online?: unknown; readonly timestamp?: unknown }
      | undefined;
    const ts_ms = Number(said?.timestamp ?? 0);
    if (typeof said?.online !== "boolean" || ts_ms < this.#host.ts_ms) return;
    this.#host = { is_online: said.online, ts_ms };
    if (said.online) this.#host_came.resolve();
    if (said.online || !session.is_born) return;
    session.ended ??= new LineFault(
      `the primary host ${this.#entry.primary_host} has gone: what is stored waits for it`,
    );
  }

  /** Tells the node's and every device's metrics, with their newest values; gives the bytes. */
  async #bear(session: Session): Promise<number> {
    const { catalog, isSent, ingest } = this.#tools;
    await ingest.latest.load();
    const tags = catalog.tags.filter(isSent);
    session.seq = 0;
    session.is_born = true;
    let bytes = 0;
    const by_device = Map.groupBy(tags, deviceOf);
    const control: WrittenMetric[] = [
      { ...this.#now(), name: death_metric, type: "int64", value: session.bd_seq },
      { ...this.#now(), name: rebirth_metric, type: "boolean", value: false },
    ];
    const own = (by_device.get(undefined) ?? []).map((tag) => this.#born(session, tag));
    bytes += await this.#send(session, { type: "NBIRTH", metrics: [...control, ...own] });
    for (const [device, tags] of by_device) {
      if (device === undefined) continue;
      const metrics = tags.map((tag) => this.#born(session, tag));
      bytes += await this.#send(session, { type: "DBIRTH", device, metrics });
    }
    return bytes;
  }

  #born(session: Session, tag: Tag): WrittenMetric {
    const { tag_no, encoding, sensor_tag: name } = tag;
    const type = encoding === "string" ? "string" : encoding === "integer" ? "int64" : "double";
    const newest = this.#tools.ingest.latest.of(tag_no);
    const told_us = newest?.ts_us ?? -Infinity;
    session.metrics.set(tag_no, { tag, alias: tag_no, type, told_us });
    const fits = fitsType(newest?.value ?? undefined, type);
    return {
      ...{ name, alias: tag_no, type },
      ts_ms: newest ? Math.floor(newest.ts_us / 1000) : this.#now().ts_ms,
      value: fits ? newest?.value ?? undefined : undefined,
      ...qualityOf(newest?.quality ?? undefined),
    };
  }

  /** Sends samples of the node itself, or of a device; gives the bytes. */
  async #tell(
    session: Session,
    device: string | undefined,
    samples: readonly SentSample[],
  ): Promise<number> {
    let bytes = 0;
    const type = device === undefined ? "NDATA" : "DDATA";
    for (let from = 0; from < samples.length; from += destination_limits.metrics) {
      const metrics = samples.slice(from, from + destination_limits.metrics)
        .map((sample) => toldMetric(sample, session.metrics.get(sample.tag.tag_no)!));
      bytes += await this.#send(session, { type, device, metrics });
    }
    return bytes;
  }

  async #send(
    session: Session,
    { type, device, metrics }: {
      readonly type: string;
      readonly device?: string | undefined;
      readonly metrics: readonly WrittenMetric[];
    },
  ): Promise<number> {
    if (session.ended) throw session.ended;
    const { group, node } = this.#entry;
    const path = [sparkplug_namespace, group, type, node, device ?? []].flat();
    const payload = encodeSparkplug({ ...this.#now(), seq: session.seq, metrics });
    session.seq = (session.seq + 1) % 256;
    await throughBroker(() => session.client.publish({ topic: path.join("/"), payload }));
    return payload.length;
  }

  #now(): { readonly ts_ms: number } {
    return { ts_ms: Math.floor(this.#tools.effects.now_us() / 1000) };
  }

  #death(bd_seq: number): MqttNote {
    const { group, node } = this.#entry;
    const metric = { ...this.#now(), name: death_metric, type: "int64", value: bd_seq } as const;
    const payload = encodeSparkplug({ ...this.#now(), metrics: [metric] });
    const topic = [sparkplug_namespace, group, "NDEATH", node].join("/");
    return { topic, payload, qos: 1, retain: false };
  }

  /** Takes leave with its death, where the connection is still there. */
  async #end(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    if (session) await session.client.close(this.#death(session.bd_seq)).catch(() => {});
  }
}

/** The device that a tag belongs to, as a level of a topic; undefined for the node itself. */
function deviceOf({ device_key }: Tag): string | undefined {
  return device_key === null ? undefined : device_key.replaceAll(/[+#/]/g, "_");
}

/** What is older than what was told last is history, and no news. */
function toldMetric(sample: SentSample, metric: Metric): WrittenMetric {
  const { ts_us, value } = sample;
  const is_historical = ts_us < metric.told_us;
  metric.told_us = Math.max(metric.told_us, ts_us);
  const fits = fitsType(value, metric.type);
  return {
    ...{ alias: metric.alias, type: metric.type, ts_ms: Math.floor(ts_us / 1000) },
    value: fits ? value : undefined,
    ...(is_historical && { is_historical }),
    ...qualityOf(sample.quality),
  };
}

/** Whether a metric of a type can have a value: a tag's encoding may follow its first sample. */
function fitsType(value: SentSample["value"], type: Metric["type"]): boolean {
  if (type === "int64") return typeof value === "bigint" || Number.isSafeInteger(value);
  return typeof value !== "string" || type === "string";
}

/** The codes of Sparkplug's property `Quality`; a good one goes without saying. */
function qualityOf(place: number | undefined): { readonly quality?: number } {
  const name = place === undefined ? "good" : quality_names[place];
  return name === "good" ? {} : { quality: name === "bad" ? 0 : 64 };
}

function metricsIn(payload: Uint8Array) {
  try {
    return decodeSparkplug(payload).metrics;
  } catch {
    return [];
  }
}
