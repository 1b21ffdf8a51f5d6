// Sends samples by Prometheus' remote write: series by labels, halved where some are refused.
import { utf8 } from "../../base/bytes.ts";
import type { DestinationOf } from "../../model/destinations/form.ts";
import { destination_limits } from "../../model/destinations/limits.ts";
import { type Label, seriesLabels } from "../../model/samples/labels.ts";
import { sharedSpans, type StampSpan, type StampSpans } from "../../model/upstream/span.ts";
import { detailOf } from "../../model/upstream/upstream.ts";
import {
  encodeRemoteWrite,
  packSnappy,
  type WrittenSeries,
} from "../../wire/samples/remote_write.ts";
import { LineFault } from "../upstream/line.ts";
import {
  type AskedAgain,
  type Carried,
  type Courier,
  type CourierTools,
  postFault,
} from "./courier.ts";
import { Asides, newestFirst, oldestFirst, samplesOf, type SentSample } from "./pieces.ts";

type Entry = DestinationOf<"remote_write">;

/** Sends what waits, the oldest first: most receivers take a series in the order of time alone. */
export function remoteWriteCourier(entry: Entry, tools: CourierTools): Courier {
  const most = destination_limits.body_rows;
  const receiver = new Receiver(entry, tools);
  const next = entry.takes_late ? newestFirst(tools, most) : oldestFirst(tools, most);
  return {
    next: (spans) => next(receiver.firstOf(spans)),
    carry: (span, signal) => receiver.carry(span, signal),
    again: (asked) => receiver.again(asked),
    notes: () => receiver.notes,
  };
}

/** What is being sent: its asides, its stamps, what stops it, and what it may still cost. */
type Sending = {
  readonly span: StampSpan;
  readonly asides: Asides;
  readonly signal: AbortSignal;
  /** How many bodies may be halved to find the samples that are refused. */
  halvings: number;
  /** Whether the receiver has taken a body since the first one that it refused. */
  is_proved: boolean;
};

class Receiver {
  readonly #entry: Entry;
  readonly #tools: CourierTools;
  /** Labels by the number of a tag. */
  readonly #labels = new Map<number, readonly Label[]>();
  /** The newest sample of a series that was taken, by the number of its tag, in milliseconds. */
  readonly #newest_ms = new Map<number, number>();
  /** What the receiver says of samples that come late; undefined as long as it takes them. */
  #late: string | undefined;
  /** Of series, by the number of their tag, up to when their samples are too old, and why. */
  readonly #too_old = new Map<number, { readonly until_ms: number; readonly reason: string }>();
  /** What a person wants sent again, in turn. */
  #again: AskedAgain[] = [];
  #texts = 0;
  #rows = 0;
  #bytes = 0;

  constructor(entry: Entry, tools: CourierTools) {
    this.#entry = entry;
    this.#tools = tools;
  }

  get notes(): readonly string[] {
    const texts = `${this.#texts} texts since the start were not sent: a series has numbers alone`;
    const late = `the receiver takes no late samples (${this.#late}): they are set aside`;
    return [...this.#texts > 0 ? [texts] : [], ...this.#late === undefined ? [] : [late]];
  }

  async carry(span: StampSpan, signal: AbortSignal): Promise<Carried> {
    const asides = new Asides();
    this.#rows = 0;
    this.#bytes = 0;
    const isAsked = this.#askedWithin(span);
    const halvings = destination_limits.halvings;
    const sending: Sending = { span, asides, signal, halvings, is_proved: false };
    for await (const all of samplesOf(this.#tools, span)) {
      const samples = all.filter(isAsked);
      const numbers = samples.filter(({ value }) => typeof value !== "string");
      this.#texts += samples.length - numbers.length;
      const sent = this.#withoutLate(numbers, sending);
      for (let from = 0; from < sent.length; from += destination_limits.body_rows) {
        await this.#deliver(sent.slice(from, from + destination_limits.body_rows), sending);
      }
    }
    return { rows: this.#rows, bytes: this.#bytes, asides: asides.all };
  }

  /** What the receiver said holds no longer: it is asked of each row that was set aside. */
  again(asked: AskedAgain): void {
    this.#late = undefined;
    this.#too_old.clear();
    this.#again.push(asked);
  }

  /** Of what waits, what was asked for, by itself; else all. */
  firstOf(spans: StampSpans): StampSpans {
    for (; this.#again.length > 0; this.#again.shift()) {
      const own = sharedSpans(spans, this.#again[0].spans);
      if (own.length > 0) return own;
    }
    return spans;
  }

  /** Which samples of a piece go: where a person asked, the receiver has the others. */
  #askedWithin({ from_us, to_us }: StampSpan): (sample: SentSample) => boolean {
    const asked = this.#again.find(({ spans }) =>
      spans.some((it) => it.from_us <= from_us && to_us <= it.to_us)
    );
    if (asked === undefined) return () => true;
    const by_tag = new Map(asked.asides.map((it) => [it.tag_no, it]));
    return ({ tag, ts_us }) => {
      const aside = by_tag.get(tag.tag_no);
      return aside !== undefined && ts_us >= aside.first_ts && ts_us <= aside.last_ts;
    };
  }

  /** Those that the receiver may take; it has said of the others what it would say again. */
  #withoutLate(samples: readonly SentSample[], sending: Sending): readonly SentSample[] {
    return samples.filter((sample) => {
      const reason = this.#refusalOf(sample);
      if (reason !== undefined) this.#setAside(sample, { sending, reason });
      return reason === undefined;
    });
  }

  #refusalOf({ tag: { tag_no }, ts_us }: SentSample): string | undefined {
    const ts_ms = msOf(ts_us);
    const old = this.#too_old.get(tag_no);
    if (old && ts_ms <= old.until_ms) return old.reason;
    return ts_ms <= (this.#newest_ms.get(tag_no) ?? -Infinity) ? this.#late : undefined;
  }

  /** What the refusal of one sample says of others. */
  #learn({ tag: { tag_no }, ts_us }: SentSample, reason: string): void {
    if (/out.of.order/i.test(reason)) this.#late = reason;
    const is_past = ts_us <= this.#tools.effects.now_us();
    if (!is_past || !/too.old|out of bounds/i.test(reason)) return;
    const until_ms = Math.max(msOf(ts_us), this.#too_old.get(tag_no)?.until_ms ?? -Infinity);
    this.#too_old.set(tag_no, { until_ms, reason });
  }

  /**
   * Sends samples until each is taken or set aside. Where many are refused, as all of a piece are
   * that was taken just before a kill, what is left at last is asked for as a whole.
   */
  async #deliver(samples: readonly SentSample[], sending: Sending): Promise<void> {
    const reason = await this.#post(samples, sending.signal);
    if (reason === undefined) {
      sending.is_proved = true;
      return this.#taken(samples);
    }
    if (samples.length === 1 || sending.halvings <= 0) {
      await this.#prove(sending, reason);
      if (samples.length === 1) this.#learn(samples[0], reason);
      for (const sample of samples) this.#setAside(sample, { sending, reason });
      return;
    }
    sending.halvings--;
    const half = Math.ceil(samples.length / 2);
    const halves = [samples.slice(0, half), samples.slice(half)];
    // Of those that are too old the newest says it of all.
    for (const part of this.#entry.takes_late ? halves.toReversed() : halves) {
      const left = this.#withoutLate(part, sending);
      if (left.length > 0) await this.#deliver(left, sending);
    }
  }

  /** Throws a `LineFault` where it is not the samples that are refused. */
  async #prove(sending: Sending, reason: string): Promise<void> {
    if (sending.is_proved) return;
    if (await this.#post([], sending.signal) !== undefined) {
      throw new LineFault(`the receiver refuses every body: ${reason}`);
    }
    sending.is_proved = true;
  }

  #taken(samples: readonly SentSample[]): void {
    for (const { tag: { tag_no }, ts_us } of samples) {
      const newest_ms = this.#newest_ms.get(tag_no) ?? -Infinity;
      this.#newest_ms.set(tag_no, Math.max(newest_ms, msOf(ts_us)));
    }
    this.#rows += samples.length;
    this.#tools.count(samples.length);
  }

  #setAside(
    sample: SentSample,
    { sending, reason }: { readonly sending: Sending; readonly reason: string },
  ): void {
    const { destination_no, effects } = this.#tools;
    const changed_at = effects.now_us();
    sending.asides.add(sample, { ...sending.span, reason, changed_at, destination_no });
  }

  /** Posts a body; gives why some of it is refused. Throws a `LineFault` where it must wait. */
  async #post(samples: readonly SentSample[], signal: AbortSignal): Promise<string | undefined> {
    const { effects, refuse } = this.#tools;
    const url = new URL(this.#entry.url);
    const body = packSnappy(encodeRemoteWrite(this.#seriesOf(samples)));
    const posted = await effects.post({
      ...{ url, body, signal, headers: this.#headers() },
      ...{ timeout_ms: destination_limits.send_ms, refuse: refuse(url) },
    });
    signal.throwIfAborted();
    this.#bytes += body.length;
    const { status } = posted;
    if (status !== null && status >= 200 && status < 300) return undefined;
    const said = this.#withoutSecrets(detailOf(posted.answer)).slice(0, 300);
    // Some versions of Prometheus answer 500 to samples that are too old.
    const is_refused = [400, 413, 422].includes(status!) ||
      status === 500 && of_samples.test(said);
    if (is_refused) return said || `it answered ${status}`;
    throw postFault(posted, { said, help: help_by_status, now_us: effects.now_us() });
  }

  /** A receiver may repeat what it was sent. */
  #withoutSecrets(text: string): string {
    return Object.values(this.#tools.secrets).reduce((all, it) => all.replaceAll(it, "…"), text);
  }

  #headers(): Readonly<Record<string, string>> {
    const { user, tenant } = this.#entry;
    const { token, password = "" } = this.#tools.secrets;
    const basic = () => `Basic ${utf8(`${user}:${password}`).toBase64()}`;
    const authorization = token !== undefined ? `Bearer ${token}` : user ? basic() : undefined;
    return {
      "content-type": "application/x-protobuf",
      "content-encoding": "snappy",
      "x-prometheus-remote-write-version": "0.1.0",
      "user-agent": "Wattkeeper",
      ...authorization && { authorization },
      ...tenant && { "x-scope-orgid": tenant },
    };
  }

  /** Series by tag; of samples within the same millisecond, the last. */
  #seriesOf(samples: readonly SentSample[]): readonly WrittenSeries[] {
    const by_tag = Map.groupBy(samples, ({ tag }) => tag);
    return Array.from(by_tag, ([tag, own]) => ({
      labels: this.#labelsOf(tag.tag_no, tag.sensor_tag),
      samples: own.filter(({ ts_us }, i) =>
        i + 1 >= own.length || msOf(own[i + 1].ts_us) !== msOf(ts_us)
      )
        .map(({ ts_us, value }) => (
          { ts_ms: msOf(ts_us), value: value === undefined ? undefined : Number(value) }
        )),
    }));
  }

  #labelsOf(tag_no: number, name: string): readonly Label[] {
    const known = this.#labels.get(tag_no);
    if (known) return known;
    const labels = seriesLabels(name, { project: this.#tools.project.key, ...this.#entry.labels });
    this.#labels.set(tag_no, labels);
    return labels;
  }
}

/** What a receiver says of samples that it will never take. */
const of_samples = /out.of.order|too.old|out of bounds|duplicate sample/i;

const msOf = (ts_us: number) => Math.floor(ts_us / 1000);

const help_by_status: Readonly<Record<string, string>> = {
  401: "Look at `user` and `password`, or `token`",
  403: "Look at `user` and `password`, or `token`, and at their rights",
  404:
    "Look at the path of `url`, such as /api/v1/write, and whether the receiver is switched on " +
    "(Prometheus: --web.enable-remote-write-receiver)",
  415: "The receiver takes no remote write of version 1",
};
