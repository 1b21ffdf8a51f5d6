// In the compiled program: the code of a start, as one script which V8 compiled when the program
// was made. Only a script can be kept so. What it did not compile then, it compiles when it runs.
import { createRequire } from "node:module";
import { constants, Script } from "node:vm";
import { crc32 } from "node:zlib";

const place = import.meta.dirname!;

/** Bytes of the sum behind what V8 compiled: V8 itself would run it damaged. */
const sum_bytes = 4;

/** By these names the files in the script know what is around them. */
type Begin = (
  module: { exports: Readonly<Record<string, () => unknown>> },
  require: NodeJS.Require,
  import_meta: Pick<ImportMeta, "url" | "dirname">,
) => void;

const text = Deno.readFileSync(`${place}/start.script`);
const { script, is_compiled } = load(readCompiled());

const module: Parameters<Begin>[0] = { exports: {} };
const begin: Begin = script.runInThisContext();
begin(module, createRequire(import.meta.url), import.meta);

/** What a file of the script exports; it runs when this is asked for the first time. */
export function fromScript(file: string): unknown {
  return module.exports[file]();
}

/**
 * A program that has nothing compiled, or what V8 does not take, keeps what V8 compiled meanwhile
 * when it ends: in the file that this variable names. So it is made, and so it is proved.
 */
const kept_path = Deno.env.get("START_COMPILED");
if (kept_path && !is_compiled) {
  globalThis.addEventListener("unload", () => {
    Deno.writeFileSync(kept_path, withSum(script.createCachedData()));
  });
}

function load(cachedData: Uint8Array | undefined) {
  const script = new Script(new TextDecoder().decode(text), {
    // An address: what the script loads later is found beside it.
    filename: new URL("start.script", import.meta.url).href,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return { script, is_compiled: cachedData !== undefined && !script.cachedDataRejected };
}

/** What V8 compiled of the script; undefined where there is nothing, or one of both is damaged. */
function readCompiled(): Uint8Array | undefined {
  try {
    const kept = Deno.readFileSync(`${place}/start.compiled`);
    if (kept.length < sum_bytes) return undefined;
    const code = kept.subarray(0, -sum_bytes);
    const sum = new DataView(kept.buffer).getUint32(code.length);
    return sum === sumOf(code) ? code : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** What V8 compiled, and behind it a sum of the script and of that. */
function withSum(code: Uint8Array): Uint8Array {
  const kept = new Uint8Array(code.length + sum_bytes);
  kept.set(code);
  new DataView(kept.buffer).setUint32(code.length, sumOf(code));
  return kept;
}

function sumOf(code: Uint8Array): number {
  return crc32(code, crc32(text));
}
