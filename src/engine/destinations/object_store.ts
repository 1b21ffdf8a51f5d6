// Where files are put, each whole under its name: a folder, or an S3-compatible store.
import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import { concat } from "../../base/bytes.ts";
import type { Posted } from "../../base/effects_post.ts";
import { destination_limits } from "../../model/destinations/limits.ts";
import type { DestinationOf } from "../../model/destinations/form.ts";
import { LineFault } from "../upstream/line.ts";
import { type CourierTools, postFault } from "./courier.ts";

/** A store of files. */
export type ObjectStore = {
  /** Puts a file; it is there whole or not at all. Gives its bytes. */
  readonly put: (
    name: string,
    pieces: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ) => Promise<number>;
};

/** A store of files below `root`, which is made where it is missing. */
export function folderStore(root: string): ObjectStore {
  return {
    async put(name, pieces, signal) {
      const path = `${root}/${name}`;
      const folder = path.replace(/\/[^/]*$/, "");
      const aside = `${folder}/.${path.slice(folder.length + 1)}.part`;
      try {
        await Deno.mkdir(folder, { recursive: true });
        const bytes = await writeAside(aside, pieces, signal);
        await Deno.rename(aside, path);
        await syncFolder(folder);
        return bytes;
      } catch (error) {
        await Deno.remove(aside).catch(() => {});
        throw signal.aborted ? error : faultOf(error);
      }
    },
  };
}

async function writeAside(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<number> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  let bytes = 0;
  for await (const piece of pieces) {
    signal.throwIfAborted();
    for (let at = 0; at < piece.length;) at += await file.write(piece.subarray(at));
    bytes += piece.length;
  }
  await file.sync();
  return bytes;
}

/** The name is on the disk, too, where the system lets a folder be synced. */
async function syncFolder(folder: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  using file = await Deno.open(folder, { read: true });
  await file.sync();
}

/** What the system says, for a person; what is none of the system's stays as it is. */
function faultOf(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  const help = error instanceof Deno.errors.PermissionDenied
    ? ": the service's own user needs the right to write there"
    : "";
  return new LineFault(`the file can't be written: ${error.message.slice(0, 300)}${help}`);
}

type S3Tools = Pick<CourierTools, "effects" | "secrets" | "refuse">;

type Asked = {
  readonly method: "PUT" | "POST" | "DELETE";
  readonly search?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
};

const nothing = new Uint8Array();

/** A store of files in a bucket. */
export function s3Store(entry: DestinationOf<"parquet_s3">, tools: S3Tools): ObjectStore {
  const ask = async (name: string, asked: Asked, signal: AbortSignal): Promise<Posted> => {
    const posted = await tools.effects.post({
      ...await signed(entry, { tools, name, asked }),
      timeout_ms: destination_limits.send_ms,
      signal,
    });
    if (posted.status !== null && posted.status < 300) return posted;
    throw postFault(posted, { said: codeIn(posted.answer), help: help_by_code });
  };
  return {
    async put(name, pieces, signal) {
      let bytes = 0;
      let upload: string | undefined;
      const etags: string[] = [];
      try {
        for await (const part of partsOf(pieces)) {
          bytes += part.bytes.length;
          if (part.is_last && upload === undefined) {
            await ask(name, { method: "PUT", body: part.bytes }, signal);
            return bytes;
          }
          upload ??= uploadIn(await ask(name, { method: "POST", search: { uploads: "" } }, signal));
          const search = { partNumber: `${etags.length + 1}`, uploadId: upload };
          const { etag } = await ask(name, { method: "PUT", search, body: part.bytes }, signal);
          if (etag === undefined) throw new LineFault("the store gave no ETag: is it S3?");
          etags.push(etag);
        }
        const search = { uploadId: upload! };
        const body = new TextEncoder().encode(completionOf(etags));
        const { answer } = await ask(name, { method: "POST", search, body }, signal);
        // The head of this answer is sent before the store knows.
        if (!answer.includes("CompleteMultipartUploadResult")) {
          throw new LineFault(`the store could not put the parts together: ${codeIn(answer)}`);
        }
        return bytes;
      } catch (error) {
        const leave = { method: "DELETE", search: { uploadId: upload! } } as const;
        if (upload) await ask(name, leave, signal).catch(() => {});
        throw error;
      }
    },
  };
}

/** A request with its signature (AWS Signature Version 4), of the bytes, too. */
async function signed(
  entry: DestinationOf<"parquet_s3">,
  { tools, name, asked: { method, search = {}, body = nothing } }: {
    readonly tools: S3Tools;
    readonly name: string;
    readonly asked: Asked;
  },
) {
  const { region, access_key_id } = entry;
  const url = objectUrl(entry, name);
  for (const [key, value] of Object.entries(search)) url.searchParams.set(key, value);
  const sha256 = createHash("sha256").update(body).digest("hex");
  const seconds = new Date(tools.effects.now_us() / 1000).toISOString().slice(0, 19);
  const signer = new AwsV4Signer({
    ...{ method, url: url.href, service: "s3", region, accessKeyId: access_key_id },
    secretAccessKey: tools.secrets.secret_access_key ?? "",
    headers: { "x-amz-content-sha256": sha256 },
    datetime: `${seconds.replaceAll(/[-:]/g, "")}Z`,
  });
  const ready = await signer.sign();
  const headers = Object.fromEntries(ready.headers);
  return { url: ready.url, method, headers, body, refuse: tools.refuse(ready.url) };
}

function objectUrl(
  { endpoint, bucket, prefix, style }: DestinationOf<"parquet_s3">,
  name: string,
): URL {
  const url = new URL(endpoint);
  const base = url.pathname.replace(/\/+$/, "");
  const path = [prefix ?? [], name].flat().join("/").split("/").map(encodeURIComponent).join("/");
  if (style === "host") url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = style === "host" ? `${base}/${path}` : `${base}/${bucket}/${path}`;
  return url;
}

/** Parts of a file, all but the last as large as parts are. */
async function* partsOf(pieces: AsyncIterable<Uint8Array>) {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    held.push(piece);
    bytes += piece.length;
    if (bytes < destination_limits.part_bytes) continue;
    yield { bytes: concat(held), is_last: false };
    held = [];
    bytes = 0;
  }
  yield { bytes: concat(held), is_last: true };
}

function uploadIn({ answer }: Posted): string {
  const [, id] = /<UploadId>([^<]+)<\/UploadId>/.exec(answer) ?? [];
  if (id === undefined) throw new LineFault("the answer is no S3 store's: look at the endpoint");
  return unescaped(id);
}

function unescaped(text: string): string {
  const signs = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return Object.entries(signs).reduce((all, [word, it]) => all.replaceAll(`&${word};`, it), text);
}

function completionOf(etags: readonly string[]): string {
  const parts = etags.map((etag, i) =>
    `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag.replaceAll('"', "&quot;")}</ETag></Part>`
  );
  return `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
}

/** What a store says is wrong: its code. What it says beside may repeat the request. */
function codeIn(answer: string): string {
  return /<Code>(\w{1,60})<\/Code>/.exec(answer)?.[1] ?? "";
}

const help_by_code: Readonly<Record<string, string>> = {
  NoSuchBucket: "Make the bucket, or look at `bucket` and `style`",
  InvalidAccessKeyId: "Look at `access_key_id`",
  SignatureDoesNotMatch: "Look at `secret_access_key` and `region`",
  AccessDenied: "The key needs the right to put objects into the bucket",
  AuthorizationHeaderMalformed: "Look at `region`",
  PermanentRedirect: "The bucket lies in another region: look at `endpoint` and `region`",
  RequestTimeTooSkewed: "The clock of this machine is wrong",
};
