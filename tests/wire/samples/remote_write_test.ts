// Remote write of Prometheus: names of series, values that are none, both messages, damage.
import assert from "node:assert/strict";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { Fault } from "../../../src/base/fault.ts";
import {
  decodeRemoteWrite,
  type RemoteWriteVersion,
} from "../../../src/wire/samples/remote_write.ts";
import { type SentSeries, writeRequest1, writeRequest2 } from "../../help/remote_write.ts";
import { faultFrom, rowsOf } from "./decode_help.ts";

async function* whole(body: Uint8Array) {
  yield body;
}

const decode = (body: Uint8Array, version: RemoteWriteVersion = 1) =>
  decodeRemoteWrite(whole(body), { version });

const both = [[1, writeRequest1], [2, writeRequest2]] as const;
const ms = 1_790_000_000_123;

Deno.test("a series is a tag of its metric and its sorted labels", async () => {
  const names: readonly (readonly [SentSeries["labels"], string])[] = [
    [[["__name__", "up"]], "up"],
    [[["__name__", "w"], ["site", "a"], ["inv", "7"]], 'w{inv="7",site="a"}'],
    [[["job", "x"], ["__name__", "a:b_c"], ["none", ""]], 'a:b_c{job="x"}'],
    [[["__name__", "w"], ["path", 'C:\\"x"\n']], 'w{path="C:\\\\\\"x\\"\\n"}'],
    [[["__name__", "my.metric"], ["a b", "ü"]], '{"my.metric","a b"="ü"}'],
    [[["__name__", "1w"]], '{"1w"}'],
    [[["__name__", "w{}"], ["a", "b"]], '{"w{}",a="b"}'],
  ];
  for (const [version, write] of both) {
    const series = names.map(([labels]) => ({ labels, samples: [[ms, 1.5]] as const }));
    const rows = rowsOf(await decode(write(series), version));
    assert.deepEqual(rows.map(({ tag }) => tag), names.map(([, tag]) => tag));
    assert.deepEqual([...new Set(rows.map(({ ts }) => ts))], [ms * 1000]);
    assert.deepEqual(rows.map(({ line }) => line), names.map((_, i) => i + 1));
  }
});

Deno.test("a value that is no finite number is a bad sample without one", async () => {
  const stale = new Float64Array(new BigUint64Array([0x7ff0000000000002n]).buffer)[0];
  const samples = [1, -0.25, NaN, stale, Infinity, -Infinity, 0].map((value, i) =>
    [ms + i, value] as const
  );
  for (const [version, write] of both) {
    const body = write([{ labels: [["__name__", "w"]], samples }]);
    assert.deepEqual(
      rowsOf(await decode(body, version)).map(({ ts, value, quality }) => [ts, value, quality]),
      samples.map(([at, value]) =>
        Number.isFinite(value) ? [at * 1000, value, null] : [at * 1000, null, 2]
      ),
    );
  }
});

Deno.test("samples without a name, or of no time of ours, are rejected one by one", async () => {
  const samples = [[ms, 1], [ms + 1, 2]] as const;
  const label = ["__name__", "w"] as const;
  const sent: readonly SentSeries[] = [
    { labels: [label], samples },
    { labels: [["a", "b"]], samples },
    { labels: [label, ["a", "b"], ["a", "c"]], samples },
    { labels: [label, ["", "c"]], samples },
    { labels: [label, ["a", "x".repeat(600)]], samples },
    { labels: [label], samples: [[-1, 1], [8e15, 1], [ms + 2, 3]] },
    { labels: [label], samples: [], histograms: 2 },
    { labels: [label], samples: [], exemplars: 2 },
  ];
  for (const [version, write] of both) {
    const decoded = await decode(write(sent), version);
    assert.deepEqual(rowsOf(decoded).map(({ value }) => value), [1, 2, 3]);
    assert.equal(decoded.rejected_count, 12);
    const reasons = decoded.rejected.map(({ line, reason }) => [line, reason.slice(0, 30)]);
    assert.deepEqual(reasons, [
      ...[[2, "has no label __name__"], [2, "has no label __name__"]],
      ...[[3, "has a label twice"], [3, "has a label twice"]],
      ...[[4, "has a label without a name"], [4, "has a label without a name"]],
      ...[[5, "tag is longer than 512 charact"], [5, "tag is longer than 512 charact"]],
      ...[[6, "its timestamp, -1 ms, is not w"], [6, "its timestamp, 800000000000000"]],
      ...[[7, "is a native histogram: send cl"], [7, "is a native histogram: send cl"]],
    ]);
  }
});

Deno.test("fields nobody knows are passed over, and symbols may come last", async () => {
  const labels = [["__name__", "w"]] as const;
  const request = writeRequest1([{ labels, samples: [[ms, 1]] }]);
  const more = new BinaryWriter().tag(3, 2).string("metadata").tag(99, 0).uint32(300).finish();
  assert.equal((await decode(new Uint8Array([...more, ...request, ...more]))).batches[0].rows, 1);
  const series = new BinaryWriter().tag(1, 2).bytes(new Uint8Array([1, 2]))
    .tag(2, 2).fork().tag(1, 1).double(4).tag(2, 0).int64(ms).join().finish();
  const late = new BinaryWriter().tag(5, 2).bytes(series);
  for (const symbol of ["", "__name__", "w"]) late.tag(4, 2).string(symbol);
  assert.deepEqual(rowsOf(await decode(late.finish(), 2))[0].tag, "w");
});

Deno.test("a body that is no message is refused whole, whatever is damaged", async () => {
  const sent = [{ labels: [["__name__", "w"], ["a", "ü"]], samples: [[ms, 1]] }] as const;
  for (const [version, write] of both) {
    const body = write(sent);
    const cut = await faultFrom(decode(body.slice(0, -1), version));
    assert.equal(cut.code, "invalid");
    assert.match(cut.message, /^the body is no message of remote write: /);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(255), fc.nat(), async (at, byte, end) => {
        const damaged = body.slice(0, body.length - end % 3);
        damaged[at % damaged.length] = byte;
        await decode(damaged, version).catch((error) => assert.ok(error instanceof Fault, error));
      }),
      { numRuns: 1000 },
    );
  }
  // A label whose text was never sent.
  const series = new BinaryWriter().tag(1, 2).bytes(new Uint8Array([1, 9])).finish();
  const body = new BinaryWriter().tag(5, 2).bytes(series).tag(4, 2).string("").finish();
  assert.match((await faultFrom(decode(body, 2))).message, /a label has no text/);
});

Deno.test("a message of the other version than it says is refused, not passed over", async () => {
  const series = [{ labels: [["__name__", "w"]], samples: [[ms, 1]] }] as const;
  await assert.rejects(decode(writeRequest1(series), 2), /not of version 2/);
  await assert.rejects(decode(writeRequest2(series), 1), /not of version 1/);
});

Deno.test("a series with too many labels is refused before they are read", async () => {
  const references = new BinaryWriter().tag(1, 2).bytes(new Uint8Array(2_000_000)).finish();
  const message = new BinaryWriter().tag(4, 2).string("").tag(5, 2).bytes(references).finish();
  await assert.rejects(decode(message, 2), /over 256 labels/);
  const labels = Array.from({ length: 300 }, (_, i) => [`l${i}`, "v"] as const);
  for (const [version, write] of both) {
    const body = write([{ labels: [["__name__", "w"], ...labels], samples: [[ms, 1]] }]);
    await assert.rejects(decode(body, version), /over 256 labels/);
  }
});
