// Processes of peers: started, talked to, ended together; their time, their files, a free port.

/** Whatever runs for the bench and must not outlive it. */
const running = new Set<() => Promise<unknown>>();

/** Ends all that runs, at once. */
export async function endAll(): Promise<void> {
  await Promise.allSettled(Array.from(running, (end) => end()));
}

/** Notes how something that runs is ended; the result takes it off the list. */
export function keepTrack(end: () => Promise<unknown>): () => void {
  running.add(end);
  return () => running.delete(end);
}

/** A peer's process. */
export type Child = {
  readonly pid: number;
  /** Says one line to it, which is answered by a line; answers come in the order of asking. */
  readonly ask: (line: string) => Promise<string>;
  /** The end of what it wrote to standard error. */
  readonly said: () => string;
  readonly hasEnded: () => boolean;
  /** Its exit code, when it has ended. */
  readonly ended: Promise<number>;
  /** Sends a signal and waits for the end. */
  readonly end: (signal: Deno.Signal) => Promise<void>;
};

type ChildOptions = {
  /** Whether it is asked line by line; else its output is thrown away. */
  readonly talks?: true;
  /** What ends it at once where the bench is interrupted; by default a kill. */
  readonly quit?: Deno.Signal;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly gid?: number;
};

/** Starts a process. */
export function startChild(
  command: string,
  args: readonly string[],
  { talks, quit = "SIGKILL", ...options }: ChildOptions = {},
): Child {
  const child = new Deno.Command(command, {
    args: [...args],
    ...options,
    stdin: talks ? "piped" : "null",
    stdout: talks ? "piped" : "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  let has_ended = false;
  const drained = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      said = (said + text).slice(-4000);
    }
  })();
  const end = async (signal: Deno.Signal) => {
    if (!has_ended) child.kill(signal);
    await ended;
  };
  const forget = keepTrack(() => end(quit));
  const ended = Promise.all([child.status, drained]).then(([{ code }]) => {
    has_ended = true;
    forget();
    return code;
  });
  const fail = () => new Error(`${command} ended: ${said}`);
  const ask = talks ? talkTo(child, () => ended.then(fail)) : () => Promise.reject(fail());
  return { pid: child.pid, ask, said: () => said, hasEnded: () => has_ended, ended, end };
}

/** Runs a command to its end; throws what it said where it failed. */
export async function runChild(
  command: string,
  args: readonly string[],
  options: ChildOptions = {},
): Promise<void> {
  const child = startChild(command, args, options);
  if (await child.ended !== 0) throw new Error(`${command}: ${child.said()}`);
}

/** Gives the next line of a child's output for each line that is said to it. */
function talkTo(
  { stdin, stdout }: Deno.ChildProcess,
  failure: () => Promise<Error>,
): (line: string) => Promise<string> {
  const waiting: PromiseWithResolvers<string>[] = [];
  const writer = stdin.getWriter();
  const encoder = new TextEncoder();
  const listen = async () => {
    let rest = "";
    for await (const text of stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) waiting.shift()?.resolve(line);
    }
    const error = await failure();
    for (const { reject } of waiting) reject(error);
  };
  listen();
  return (line) => {
    const answer = Promise.withResolvers<string>();
    waiting.push(answer);
    writer.write(encoder.encode(`${line}\n`)).catch(answer.reject);
    return answer.promise;
  };
}

/** The output of a command that ends by itself; undefined where there is none, or it fails. */
export async function outputOf(command: string, ...args: string[]): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command(command, { args, stderr: "null" }).output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** A port that nobody listens on. */
export function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}

/** Resolves once `isReady`; throws what a child said that ended instead. */
export async function untilReady(
  isReady: () => Promise<boolean>,
  child?: Child,
): Promise<void> {
  while (!await isReady()) {
    if (child?.hasEnded()) throw new Error(`it ended: ${child.said()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Whether an address answers with success. */
export async function isUp(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

/** Reads a whole answer; throws where it is none of success. */
export async function request(url: string, init: RequestInit = {}): Promise<Uint8Array> {
  const headers = { "accept-encoding": "identity", ...init.headers as Record<string, string> };
  const answer = await fetch(url, { ...init, headers });
  const bytes = await answer.bytes();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${new TextDecoder().decode(bytes)}`);
  return bytes;
}

/** Clock ticks a second of `/proc/…/stat`. */
const ticks = 100;

/** Seconds of the processor that a process and all its children took, ended ones too. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const times = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 16).map(Number);
  const children = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`);
  const of_children = await Promise.all(
    children.split(" ").filter(Boolean).map((child) => cpuSeconds(Number(child)).catch(() => 0)),
  );
  return [...times.map((it) => it / ticks), ...of_children].reduce((sum, it) => sum + it, 0);
}

/** What the files of a folder take on the disk, in bytes. One may go while it is looked at. */
export async function folderBytes(folder: string): Promise<number> {
  for (let turn = 0; turn < 5; turn++) {
    const text = await outputOf("du", "-s", "--block-size=1", folder);
    if (text !== undefined) return Number(text.split("\t")[0]);
  }
  throw new Error(`the size of ${folder} is not known`);
}

/** Writes a folder's files to the disk and takes them, and them alone, out of the page cache. */
export async function dropCache(folder: string): Promise<void> {
  await outputOf("sync", "-f", folder);
  const drop = ["dd", "if={}", "iflag=nocache", "count=0", "status=none"];
  await outputOf("find", folder, "-type", "f", "-size", "+0", "-exec", ...drop, ";");
}
