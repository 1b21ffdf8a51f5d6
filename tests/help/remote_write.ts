// Bodies of Prometheus remote write for tests: both messages, and a snappy block of one.
import { BinaryWriter } from "@bufbuild/protobuf/wire";

/** A series as it is sent; times are milliseconds since 1970. */
export type SentSeries = {
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly samples: readonly (readonly [ms: number, value: number])[];
  readonly histograms?: number;
  readonly exemplars?: number;
};

/** A `prometheus.WriteRequest`. */
export function writeRequest1(sent: readonly SentSeries[]): Uint8Array<ArrayBuffer> {
  const request = new BinaryWriter();
  for (const { labels, histograms, exemplars, ...it } of sent) {
    const series = request.tag(1, 2).fork();
    for (const [name, value] of labels) {
      series.tag(1, 2).fork().tag(1, 2).string(name).tag(2, 2).string(value).join();
    }
    addSamples(series, it);
    addOthers(series, { 3: exemplars, 4: histograms });
    series.join();
  }
  return new Uint8Array(request.finish());
}

/** An `io.prometheus.write.v2.Request`. */
export function writeRequest2(sent: readonly SentSeries[]): Uint8Array<ArrayBuffer> {
  const symbols = ["", ...new Set(sent.flatMap(({ labels }) => labels.flat()))];
  const request = new BinaryWriter();
  for (const symbol of symbols) request.tag(4, 2).string(symbol);
  for (const { labels, histograms, exemplars, ...it } of sent) {
    const series = request.tag(5, 2).fork();
    const refs = series.tag(1, 2).fork();
    for (const text of labels.flat()) refs.uint32(symbols.indexOf(text));
    refs.join();
    addSamples(series, it);
    addOthers(series, { 3: histograms, 4: exemplars });
    series.join();
  }
  return new Uint8Array(request.finish());
}

function addSamples(series: BinaryWriter, { samples }: Pick<SentSeries, "samples">): void {
  for (const [ms, value] of samples) {
    series.tag(2, 2).fork().tag(1, 1).double(value).tag(2, 0).int64(ms).join();
  }
}

function addOthers(series: BinaryWriter, counts: Readonly<Record<number, number | undefined>>) {
  for (const [field, count = 0] of Object.entries(counts)) {
    for (let i = 0; i < count; i++) series.tag(Number(field), 2).bytes(new Uint8Array([8, 1]));
  }
}

/** The bytes as a snappy block of runs, nothing of it packed. */
export function snappyBlock(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const block = [...varint(bytes.length)];
  for (let at = 0; at < bytes.length; at += 60) {
    const run = bytes.subarray(at, at + 60);
    block.push(run.length - 1 << 2, ...run);
  }
  return new Uint8Array(block);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [value % 128 + 128, ...varint(Math.floor(value / 128))];
}
