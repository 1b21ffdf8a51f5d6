// This program once more, as a process of its own for one task, and the messages between the two.

/** What one side tells the other: data as JSON, or bytes. */
export type Message = { readonly json: unknown } | { readonly bytes: Uint8Array<ArrayBuffer> };

/** The two ends of what is between two processes. */
export type Pipe = {
  readonly send: (message: Message) => Promise<void>;
  /** The next message; undefined where the other side has ended. */
  readonly receive: () => Promise<Message | undefined>;
};

/** A process of this program. `end` kills it, whatever it does, and gives the code it had. */
export type OtherSelf = Pipe & { readonly pid: number; readonly end: () => Promise<number> };

/** The word that starts the compiled program as the process of one question. */
export const worker_word = "--one-query";

/** What another process of this program is for, where it is not one question. */
export type SelfTask = {
  /** Its command line. */
  readonly args: readonly string[];
  /** What it finds in its environment beside where a runtime keeps its files. */
  readonly env: Readonly<Record<string, string>>;
};

/** What the sources are started with where they are not compiled. */
const sources = ["run", "-A", "--no-check"];

const sourcePath = (name: string) => new URL(`../../${name}`, import.meta.url).pathname;

/** What another process is given of the environment: where a runtime keeps its files. */
const passed = ["HOME", "DENO_DIR", "PATH", "TMPDIR"];

/**
 * Starts this program for one question, or for a task, whose standard error is this process's own.
 * Throws what the system says where it can't.
 */
export function startSelf(task?: SelfTask): OtherSelf {
  // The compiled program may run this one file alone.
  const own = Deno.build.os === "linux" ? "/proc/self/exe" : Deno.execPath();
  const known = passed.map((name) => [name, Deno.env.get(name)] as const);
  const from_source = task
    ? [...sources, "--v8-flags=--expose-gc", sourcePath("main.ts"), ...task.args]
    : [...sources, sourcePath("one_query.ts")];
  const child = new Deno.Command(own, {
    args: Deno.build.standalone ? [...(task?.args ?? [worker_word])] : from_source,
    env: {
      ...Object.fromEntries(known.filter((pair): pair is [string, string] => Boolean(pair[1]))),
      ...task?.env,
    },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: task ? "inherit" : "null",
  }).spawn();
  const pipe = pipeOf(child.stdout, child.stdin);
  return {
    ...pipe,
    pid: child.pid,
    async end() {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended by itself.
      }
      await pipe.close();
      return (await child.status).code;
    },
  };
}

/** The pipe to the process that started this one. */
export function startersPipe(): Pipe {
  return pipeOf(Deno.stdin.readable, Deno.stdout.writable);
}

/** The memory of this process, in bytes. */
export function ownMemory(): number {
  return Deno.memoryUsage().rss;
}

const kinds = { json: 0, bytes: 1 } as const;
const head_bytes = 5;
/** No message is longer: what says to be is none of ours. */
const most_bytes = 128 * 1024 * 1024;

/** A message is its kind and its length, then its bytes. */
function pipeOf(from: ReadableStream<Uint8Array>, to: WritableStream<Uint8Array>) {
  const reader = from.getReader();
  const writer = to.getWriter();
  let left = new Uint8Array(0);
  const take = async (count: number): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    const parts = [left];
    let size = left.length;
    while (size < count) {
      const { value, done } = await reader.read();
      if (done) return undefined;
      parts.push(value as Uint8Array<ArrayBuffer>);
      size += value.length;
    }
    const whole = parts.length === 1 ? parts[0] : new Uint8Array(size);
    if (parts.length > 1) {
      let at = 0;
      for (const part of parts) {
        whole.set(part, at);
        at += part.length;
      }
    }
    left = whole.subarray(count);
    return whole.subarray(0, count);
  };
  return {
    async send(message: Message): Promise<void> {
      const is_json = "json" in message;
      const bytes = is_json
        ? new TextEncoder().encode(JSON.stringify(message.json))
        : message.bytes;
      const framed = new Uint8Array(head_bytes + bytes.length);
      framed[0] = is_json ? kinds.json : kinds.bytes;
      new DataView(framed.buffer).setUint32(1, bytes.length);
      framed.set(bytes, head_bytes);
      await writer.write(framed);
    },
    async receive(): Promise<Message | undefined> {
      const head = await take(head_bytes);
      if (head === undefined) return undefined;
      const length = new DataView(head.buffer, head.byteOffset).getUint32(1);
      if (length > most_bytes) return undefined;
      const is_json = head[0] === kinds.json;
      const bytes = await take(length);
      if (bytes === undefined) return undefined;
      return is_json ? { json: JSON.parse(new TextDecoder().decode(bytes)) } : { bytes };
    },
    /** Reads and writes no more. */
    async close(): Promise<void> {
      await reader.cancel().catch(() => {});
      await writer.abort().catch(() => {});
    },
  };
}
