// A site file as it travels from a centre to its gateways and is kept: packed, with its digest.
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { textOf, utf8 } from "../../base/bytes.ts";
import { sha256Hex } from "../../base/digest.ts";
import { Fault } from "../../base/fault.ts";
import { site_limits } from "../../model/site/limits.ts";
import { jsonIn } from "../../model/upstream/upstream.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";

/** Plain data as text in base64 of few bytes, and the digest of its JSON. */
export type PackedFile = { readonly content: string; readonly digest: string };

/** The fastest: a file of 2 MB takes 30 ms; the strongest would hold all up for 8 s. */
const packing = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Packs plain data. Throws a `Fault` (too_large) for more than a gateway pulls. */
export function packFile(file: unknown): PackedFile {
  const text = JSON.stringify(file);
  const content = new Uint8Array(zstdCompressSync(utf8(text), packing)).toBase64();
  if (content.length > upstream_limits.version_bytes) {
    const most = upstream_limits.version_bytes;
    throw new Fault("too_large", `packed, the site file has more than ${most} bytes`);
  }
  return { content, digest: sha256Hex(text) };
}

/** The digest alone. */
export function digestOf(file: unknown): string {
  return sha256Hex(JSON.stringify(file));
}

/** The plain data of a packed file. Throws a `Fault` (invalid) where it is another one. */
export function unpackFile({ content, digest }: PackedFile): unknown {
  const text = textIn(content);
  if (text === undefined || sha256Hex(text) !== digest) {
    throw new Fault(
      "invalid",
      "the content is not what its digest says: it was damaged on the way",
    );
  }
  return jsonIn(text);
}

/** The plain data of content that was packed here. */
export function unpackOwn(content: string): unknown {
  return jsonIn(textIn(content) ?? "");
}

function textIn(content: string): string | undefined {
  try {
    const bytes = Uint8Array.fromBase64(content);
    return textOf(zstdDecompressSync(bytes, { maxOutputLength: 2 * site_limits.file_bytes }));
  } catch {
    return undefined;
  }
}
