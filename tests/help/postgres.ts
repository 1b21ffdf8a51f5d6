// A PostgreSQL of a test's own, where there is one, that can hang, stop, and start again.

/** A running server. */
export type Postgres = AsyncDisposable & {
  /** How it is reached, as its library has it. */
  readonly place: string;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Lets it answer nothing until it is started again. */
  readonly hang: () => Promise<void>;
};

/** What a server shows of itself, in PEM, and the port of this machine where it does. */
export type Shown = { readonly cert: string; readonly key: string; readonly port: number };

/**
 * Starts a server in a new folder, at a socket in it, or encrypted at a port; undefined where there
 * is none, or not who may run it.
 */
export async function startPostgres(
  folder: string,
  { shown }: { readonly shown?: Shown } = {},
): Promise<Postgres | undefined> {
  const bin = Deno.env.get("POSTGRES_BIN") ?? await newestBin();
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(
    await Deno.readTextFile("/etc/passwd").catch(() => ""),
  ) ?? [];
  if (bin === undefined || uid === undefined || Deno.uid() !== 0) return undefined;
  const as = { uid: Number(uid), gid: Number(gid), cwd: "/" };
  await Deno.mkdir(folder, { recursive: true });
  await Deno.chown(folder, as.uid, as.gid);
  for (let path = folder; path !== "/tmp" && path !== ""; path = path.replace(/\/[^/]*$/, "")) {
    await Deno.chmod(path, 0o755);
  }
  const run = async (program: string, args: readonly string[]) => {
    const { success, stderr } = await new Deno.Command(`${bin}/${program}`, {
      ...{ ...as, args: [...args], stdout: "null", stderr: "piped" },
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  };
  const data = `${folder}/data`;
  await run("initdb", ["-D", data, "-A", "trust", "-U", "postgres", "--no-sync"]);
  for (const [name, text] of shown ? [["crt", shown.cert], ["key", shown.key]] : []) {
    await Deno.writeTextFile(`${data}/server.${name}`, text, { mode: 0o600 });
    await Deno.chown(`${data}/server.${name}`, as.uid, as.gid);
  }
  const listen = shown ? `127.0.0.1 -c port=${shown.port} -c ssl=on` : "";
  const options = `-c listen_addresses=${listen} -c unix_socket_directories=${folder}`;
  const start = () =>
    run("pg_ctl", ["-D", data, "-o", options, "-l", `${folder}/log`, "-w", "start"]);
  await start();
  let is_hung = false;
  const signal = async (name: "SIGSTOP" | "SIGCONT") => {
    const [head] = (await Deno.readTextFile(`${data}/postmaster.pid`)).split("\n");
    for (const pid of [Number(head), ...await childrenOf(Number(head))]) tell(pid, name);
    is_hung = name === "SIGSTOP";
  };
  const stop = async () => {
    if (is_hung) await signal("SIGCONT");
    await run("pg_ctl", ["-D", data, "-m", "immediate", "stop"]);
  };
  return {
    place: `host=${folder} user=postgres dbname=postgres`,
    start: () => is_hung ? signal("SIGCONT") : start(),
    stop,
    hang: () => signal("SIGSTOP"),
    async [Symbol.asyncDispose]() {
      await stop().catch(() => {});
    },
  };
}

/** The folder of the newest programs; undefined where there are none. */
export async function newestBin(): Promise<string | undefined> {
  const folder = "/usr/lib/postgresql";
  try {
    const versions = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => Number(name));
    return `${folder}/${Math.max(...versions)}/bin`;
  } catch {
    return undefined;
  }
}

/** A child that has ended since it was listed needs no signal. */
function tell(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const path = `/proc/${pid}/task/${pid}/children`;
  return (await Deno.readTextFile(path)).split(" ").filter(Boolean).map(Number);
}
