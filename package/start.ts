// In the compiled program: the code of a start, as one script which V8 compiled when the program
// was made. Only a script can be kept so. What it did not compile then, it compiles when it runs.
import { createRequire } from "node:module";
import { constants, Script } from "node:vm";

const place = import.meta.dirname!;

/** By these names the files in the script know what is around them. */
type Begin = (
  module: { exports: Readonly<Record<string, () => unknown>> },
  require: NodeJS.Require,
  import_meta: Pick<ImportMeta, "url" | "dirname">,
) => void;

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
    Deno.writeFileSync(kept_path, script.createCachedData());
  });
}

function load(cachedData: Uint8Array | undefined) {
  const script = new Script(Deno.readTextFileSync(`${place}/start.script`), {
    // An address: what the script loads later is found beside it.
    filename: new URL("start.script", import.meta.url).href,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return { script, is_compiled: cachedData !== undefined && !script.cachedDataRejected };
}

function readCompiled(): Uint8Array | undefined {
  try {
    return Deno.readFileSync(`${place}/start.compiled`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
