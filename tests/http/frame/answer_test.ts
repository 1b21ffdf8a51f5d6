// Tests streamed answers: negotiation, compression, stops, stalls and failures on the way.
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { request_limits } from "../../../src/http/frame/limits.ts";
import { answer_limits } from "../../../src/model/data/limits.ts";
import { streamAnswer } from "../../../src/http/frame/answer.ts";
import { describe, paramsOf } from "../../../src/http/openapi/openapi.ts";
import type { Chunk } from "../../../src/model/data/chunk.ts";
import type { Column } from "../../../src/model/data/column.ts";
import { openFrame, testRoute } from "../../help/frame.ts";

const columns: readonly Column[] = [
  { name: "n", kind: "int32", nullable: false, doc: "A number." },
];
const path = "/test?project_id=project-1";

function chunk(...numbers: number[]): Chunk {
  return { rows: numbers.length, vectors: [{ kind: "int32", values: Int32Array.from(numbers) }] };
}

/** Chunks large enough that each leaves the encoder as a piece. */
function largeChunk(): Chunk {
  return chunk(...Array.from({ length: answer_limits.batch_rows }, (_, i) => 1_000_000_000 + i));
}

/** A frame with one streaming route over `chunks`, and how its iteration ended. */
async function streaming(chunks: () => AsyncGenerator<Chunk, void>) {
  const state = { stopped: 0 };
  async function* watched() {
    try {
      yield* chunks();
    } finally {
      state.stopped++;
    }
  }
  const frame = await openFrame(() => [
    testRoute({
      answer: { kind: "stream", row: "Row", columns },
      handle: (context) =>
        streamAnswer(context, { columns, chunks: watched(), metadata: {} }, { "x-svc-test": "1" }),
    }),
  ]);
  return { ...frame, state };
}

async function* three() {
  yield chunk(1, 2);
  yield chunk(3);
}

Deno.test("a stream is answered in the format asked for by Accept or by format", async () => {
  const { fetch, close, state } = await streaming(three);
  const get = (accept: string, more = "") => fetch(path + more, { headers: { accept } });
  const json = await get("application/json;q=0.9, text/csv;q=0.5");
  equal(json.headers.get("content-type"), "application/json");
  equal(json.headers.get("x-svc-test"), "1");
  match(json.headers.get("vary")!, /accept/);
  deepEqual(await json.json(), [{ n: 1 }, { n: 2 }, { n: 3 }]);
  const csv = await get("*/*", "&format=csv");
  equal(csv.headers.get("content-disposition"), 'attachment; filename="test.csv"');
  equal((await csv.text()).trim(), "n\r\n1\r\n2\r\n3");
  const arrow = await get("*/*");
  equal(arrow.headers.get("content-type"), "application/vnd.apache.arrow.stream");
  await arrow.body?.cancel();
  equal((await get("image/png")).status, 406);
  const wrong = await get("*/*", "&format=xml");
  equal(wrong.status, 400);
  match((await wrong.json()).detail, /format/);
  equal(state.stopped, 3);
  await close();
});

Deno.test("an answer is compressed as Accept-Encoding asks, Parquet never", async () => {
  const { fetch, close } = await streaming(three);
  const get = (encoding: string, format: string) =>
    fetch(`${path}&format=${format}`, { headers: { "accept-encoding": encoding } });
  const wanted = '{"n":1}\n{"n":2}\n{"n":3}\n';
  for (
    const [asked, used] of [["gzip", "gzip"], ["gzip, zstd, br", "zstd"], [
      "zstd;q=0.1, gzip",
      "gzip",
    ]]
  ) {
    const answer = await get(asked, "ndjson");
    equal(answer.headers.get("content-encoding"), used);
    const bytes = await answer.bytes();
    const plain = used === "gzip" ? gunzipSync(bytes) : zstdDecompressSync(bytes);
    equal(new TextDecoder().decode(plain), wanted);
  }
  const plain = await (await get("identity", "arrow")).bytes();
  const packed = await get("zstd", "arrow");
  equal(packed.headers.get("content-encoding"), "zstd");
  deepEqual(new Uint8Array(zstdDecompressSync(await packed.bytes())), plain);
  for (
    const [asked, format] of [["br", "ndjson"], ["identity", "csv"], ["identity", "arrow"], [
      "gzip",
      "parquet",
    ]]
  ) {
    const answer = await get(asked, format);
    equal(answer.headers.get("content-encoding"), null);
    match(answer.headers.get("vary")!, /accept-encoding/);
    await answer.body?.cancel();
  }
  await close();
});

Deno.test("a failure before the first piece is a problem document", async () => {
  const { fetch, close, state } = await streaming(async function* () {
    if (columns.length > 0) throw new Error("inside");
    yield chunk();
  });
  for (const encoding of ["identity", "gzip"]) {
    const answer = await fetch(`${path}&format=ndjson`, {
      headers: { "accept-encoding": encoding },
    });
    equal(answer.status, 500);
    equal((await answer.json()).title, "Internal error");
  }
  equal(state.stopped, 2);
  await close();
});

Deno.test("a failure after the first piece breaks the body", async () => {
  for (const encoding of ["identity", "zstd"]) {
    const { fetch, close, state } = await streaming(async function* () {
      for (let i = 0; i < 20; i++) yield largeChunk();
      throw new Error("inside");
    });
    const answer = await fetch(`${path}&format=ndjson`, {
      headers: { "accept-encoding": encoding },
    });
    equal(answer.status, 200);
    await rejects(answer.bytes());
    equal(state.stopped, 1);
    await close();
  }
});

async function* endless() {
  for (;;) yield largeChunk();
}

Deno.test("a client that goes away stops the work", async () => {
  for (const encoding of ["identity", "gzip"]) {
    const { fetch, turn, close, state } = await streaming(endless);
    const answer = await fetch(`${path}&format=csv`, { headers: { "accept-encoding": encoding } });
    const reader = answer.body!.getReader();
    await reader.read();
    await reader.cancel();
    await turn();
    const metrics = await (await fetch("/metrics")).text();
    match(metrics, /ending="cancelled"/);
    match(metrics, /wattkeeper_in_flight\{of="stream"\} 0/);
    equal(state.stopped, 1);
    await close();
  }
});

Deno.test("HEAD on a stream stops the work", async () => {
  const { fetch, close, state } = await streaming(endless);
  const answer = await fetch(path, { method: "HEAD" });
  equal(answer.status, 200);
  match(await (await fetch("/metrics")).text(), /wattkeeper_in_flight\{of="stream"\} 0/);
  equal(state.stopped, 1);
  await close();
});

Deno.test("a client that stops reading is cut off, one that reads slowly is not", async () => {
  const { fetch, turn, clock, close, state } = await streaming(endless);
  const answer = await fetch(`${path}&format=csv`);
  const reader = answer.body!.getReader();
  for (let i = 0; i < 5; i++) {
    await reader.read();
    // That gives the next piece time to be made.
    await turn();
    clock.advance(request_limits.stream_stall_ms - 1);
  }
  equal(state.stopped, 0);
  await turn();
  clock.advance(request_limits.stream_stall_ms);
  await turn();
  await rejects(reader.read(), /stopped reading/);
  match(await (await fetch("/metrics")).text(), /ending="stalled"/);
  equal(state.stopped, 1);
  await close();
});

Deno.test("a stream's work is as far ahead of its client as one piece", async () => {
  let made = 0;
  const { fetch, turn, close } = await streaming(async function* () {
    for (; made < 50; made++) yield largeChunk();
  });
  const answer = await fetch(`${path}&format=arrow`);
  await turn();
  const ahead = made;
  await answer.body!.cancel();
  equal(ahead < 10, true, `${ahead} chunks made`);
  await close();
});

Deno.test("the format parameter is described on every streaming route and no other", () => {
  const stream = testRoute({ answer: { kind: "stream", row: "Row", columns } });
  equal(paramsOf(stream).at(-1)?.name, "format");
  equal(paramsOf(testRoute({})).at(-1)?.name, "project_id");
  match(JSON.stringify(describe([stream], { version: "1", forms: "all" })), /vnd\.apache\.parquet/);
});

Deno.test("a client that went away before the answer is told apart from a failure", async () => {
  const gone = new AbortController();
  const { fetch, turn, close } = await streaming(async function* () {
    gone.abort();
    if (gone.signal.aborted) throw new Error("interrupted");
    yield chunk();
  });
  await fetch(path, { signal: gone.signal }).then((answer) => answer.body?.cancel());
  await turn();
  match(await (await fetch("/metrics")).text(), /status="503",ending="cancelled"\} 1/);
  await close();
});
