// An object store of a test's own, where there is versitygw, that can hang, die, and start again.
import { AwsClient } from "aws4fetch";
import { hasProgram } from "./destination.ts";

/** The program, as it is installed. */
export const store_program = "versitygw";

/** Who may use a store. */
export type StoreKey = { readonly key_id: string; readonly secret: string };

const key: StoreKey = { key_id: "wk", secret: "a-very-secret-key" };
const bucket = "lake";

/** A running store. */
export type Store = AsyncDisposable & {
  /** How the settings of a service name it. */
  readonly settings: {
    readonly lake_dir: string;
    readonly s3_endpoint: string;
    readonly s3_key_id: string;
    readonly s3_secret: string;
  };
  readonly port: number;
  readonly start: () => Promise<void>;
  /** Kills it. */
  readonly stop: () => Promise<void>;
  /** Lets it answer nothing until it is started again. */
  readonly hang: () => void;
  /** The names of all objects that it has. */
  readonly list: () => Promise<readonly string[]>;
};

/** Where the program is; undefined where it is not. */
export function findStore(): string | undefined {
  return [`/opt/bin/${store_program}`, store_program].find((it) => hasProgram(it, ["--version"]));
}

/** Starts one over a folder; undefined where there is none. */
export async function startStore(folder: string): Promise<Store | undefined> {
  const command = findStore();
  if (command === undefined) return undefined;
  await Deno.mkdir(`${folder}/${bucket}`, { recursive: true });
  const free = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = free.addr;
  free.close();
  const s3_endpoint = `http://127.0.0.1:${port}`;
  let child: Deno.ChildProcess | undefined;
  let is_hung = false;
  const start = async () => {
    if (is_hung) child?.kill("SIGCONT");
    is_hung = false;
    child ??= new Deno.Command(command, {
      args: ["--port", `127.0.0.1:${port}`, "--quiet", "posix", folder],
      env: { ROOT_ACCESS_KEY: key.key_id, ROOT_SECRET_KEY: key.secret },
      ...{ stdin: "null", stdout: "null", stderr: "null" },
    }).spawn();
    for (;;) {
      const socket = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
      if (socket) return socket.close();
    }
  };
  const stop = async () => {
    child?.kill("SIGKILL");
    await child?.status;
    [child, is_hung] = [undefined, false];
  };
  await start();
  return {
    settings: {
      ...{ lake_dir: `s3://${bucket}/plants`, s3_endpoint },
      ...{ s3_key_id: key.key_id, s3_secret: key.secret },
    },
    ...{ port, start, stop },
    hang() {
      child?.kill("SIGSTOP");
      is_hung = true;
    },
    list: () => listObjects(`${s3_endpoint}/${bucket}`, key),
    [Symbol.asyncDispose]: stop,
  };
}

/** The names of all objects in a bucket. */
export async function listObjects(
  address: string,
  { key_id, secret }: StoreKey,
): Promise<readonly string[]> {
  const client = new AwsClient({
    ...{ accessKeyId: key_id, secretAccessKey: secret, service: "s3", region: "us-east-1" },
  });
  const names: string[] = [];
  for (let after = "";;) {
    const question = new URLSearchParams({ "list-type": "2", "start-after": after });
    const answer = await client.fetch(`${address}?${question}`);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`the store answered ${answer.status}: ${text}`);
    const found = Array.from(text.matchAll(/<Key>([^<]*)<\/Key>/g), ([, name]) => name);
    names.push(...found);
    if (!/<IsTruncated>true</.test(text)) return names;
    after = found.at(-1)!;
  }
}
