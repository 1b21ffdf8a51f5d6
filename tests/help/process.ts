// The program as a process of its own: a command run to its end, or a server on a free port.

const main = new URL("../../main.ts", import.meta.url).pathname;

/** How a command line starts: the sources under this Deno, or a compiled binary. */
export type Program = { readonly command: string; readonly args: readonly string[] };

/**
 * How a file of the sources is run, by the Deno that runs the tests. The packages are there: Deno
 * would look through all of them again for each that is imported, which takes half a second.
 */
export const run_source = ["run", "-A", "--no-check", "--node-modules-dir=manual"] as const;

/** The sources, run by the Deno that runs the tests. */
export const from_source: Program = {
  command: Deno.execPath(),
  args: [...run_source, "--v8-flags=--expose-gc", main],
};

/** What commands of faults and costs run: the compiled program that `WATTKEEPER` names, if any. */
export const tested_program: Program = Deno.env.get("WATTKEEPER")
  // A server has a folder of its own, where a path from here would lead elsewhere.
  ? { command: Deno.realPathSync(Deno.env.get("WATTKEEPER")!), args: [] }
  : from_source;

/** What a finished command said. */
export type Ended = { readonly code: number; readonly out: string; readonly err: string };

/** Runs one command line to its end, in `cwd`, in an environment of its own. */
export async function runProgram(
  args: readonly string[],
  { program = from_source, cwd, env = {} }: {
    readonly program?: Program;
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(program.command, {
    args: [...program.args, ...args],
    cwd: cwd ?? await Deno.makeTempDir(),
    env: { ...own_env, ...env },
    clearEnv: true,
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, out, err };
}

/** A server that answers at `address`. */
export type Server = {
  readonly pid: number;
  readonly address: string;
  /** The administrator's token that it printed, if this was its first start. */
  readonly token: string | undefined;
  /** What it wrote to standard error until now. */
  readonly said: () => string;
  /** Its exit code, when it has ended. */
  readonly ended: Promise<number>;
  /** Sends a signal and waits for the end; gives the exit code. */
  readonly end: (signal: "SIGTERM" | "SIGKILL") => Promise<number>;
};

/** No client of a test waits to be told of a stop. */
const quick_stop = ["--stop-notice-ms", "0"];

/** Starts `serve` on a data directory and waits until it listens; throws what it said instead. */
export async function startServer(
  data_dir: string,
  { program = tested_program, args = [], env = {} }: {
    readonly program?: Program;
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<Server> {
  const child = new Deno.Command(program.command, {
    args: [...program.args, "serve", "--port", "0", "--data-dir", data_dir, ...quick_stop, ...args],
    cwd: await Deno.makeTempDir(),
    env: { ...own_env, ...env },
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const lines = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  for (let at: RegExpExecArray | null = null; !at;) {
    const { value, done } = await lines.read();
    if (done) throw new Error(`the server ended with ${(await child.status).code}: ${said}`);
    said += value;
    at = /listening on (https?:\/\/[^\s"]+)/.exec(said);
    if (!at) continue;
    const drained = drain(lines, (text) => said += text);
    const ended = drained.then(() => child.status).then(({ code }) => code);
    return {
      pid: child.pid,
      address: at[1],
      token: /shown only now: (wk_\w+)/.exec(said)?.[1],
      said: () => said,
      ended,
      end(signal) {
        // One that has ended by itself can't be told.
        try {
          child.kill(signal);
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
        }
        return ended;
      },
    };
  }
  throw new Error("not reached");
}

/** What a program needs of the environment; simulated devices are on this machine. */
const own_env = {
  WATTKEEPER_SOURCE_ALLOW: "127.0.0.0/8,::1",
  ...Object.fromEntries(
    ["PATH", "HOME", "DENO_DIR", "TMPDIR"].flatMap((name) => {
      const value = Deno.env.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  ),
};

async function drain(
  reader: ReadableStreamDefaultReader<string>,
  onText: (text: string) => void,
): Promise<void> {
  for (let read = await reader.read(); !read.done; read = await reader.read()) onText(read.value);
}
