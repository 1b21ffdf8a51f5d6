// A running service as the target of an import: batches go to its ingest endpoint as NDJSON.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import type { ImportTarget } from "../../engine/ingest/import.ts";
import type { IngestAnswer } from "../../model/samples/sample.ts";
import { ndjsonOf } from "../../wire/samples/json.ts";

/** A service, and how it is asked. */
export type Remote = {
  readonly url: string;
  readonly token: string;
  readonly project_id: string;
};

/** The target; a refusal of the service is a `Fault` with its own words. */
export function serviceTarget(
  effects: Pick<Effects, "request" | "sleep">,
  remote: Remote,
): ImportTarget {
  return {
    async add({ batches, rejected, rejected_count }) {
      const answers = [];
      for (const batch of batches) {
        const request = () => requestOf(remote, { lane: batch.lane, body: ndjsonOf(batch) });
        const { accepted, duplicates, ...refused } = await send(effects, request);
        const lines = refused.rejected.map((it) => ({ ...it, line: batch.line[it.line - 1] }));
        answers.push({ ...refused, accepted, duplicates, rejected: lines });
      }
      const none: IngestAnswer = { accepted: 0, duplicates: 0, rejected_count, rejected };
      return answers.reduce(sum, none);
    },
    // The service keeps its own units: a site file declares them.
    noteUnits: () => Promise.resolve(),
  };
}

type Message = { readonly lane: string; readonly body: Uint8Array<ArrayBuffer> };

function requestOf({ url, token, project_id }: Remote, { lane, body }: Message): Request {
  const search = new URLSearchParams({ project_id, lane });
  return new Request(`${url.replace(/\/$/, "")}/ingest/v1/signals?${search}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" },
    body,
  });
}

/** Sends, and again while the service is too busy. */
async function send(
  { request, sleep }: Pick<Effects, "request" | "sleep">,
  make: () => Request,
): Promise<IngestAnswer> {
  for (let tries = 1;; tries++) {
    const response = await request(make());
    if (response.ok) return await response.json() as IngestAnswer;
    const text = await response.text();
    const busy = response.status === 503 || response.status === 429;
    if (!busy || tries === limits.import_tries) {
      throw new Fault("invalid", `the service answered ${response.status}: ${detailOf(text)}`);
    }
    await sleep(1000 * (Number(response.headers.get("retry-after")) || limits.retry_after_s));
  }
}

function detailOf(text: string): string {
  try {
    return (JSON.parse(text) as { detail?: string }).detail ?? text;
  } catch {
    return text.slice(0, 200);
  }
}

function sum(a: IngestAnswer, b: IngestAnswer): IngestAnswer {
  return {
    accepted: a.accepted + b.accepted,
    duplicates: a.duplicates + b.duplicates,
    rejected_count: a.rejected_count + b.rejected_count,
    rejected: [...a.rejected, ...b.rejected],
  };
}
