// What the compose file and the files for systemd in package/fleet start, as these say it.
import { load } from "js-yaml";
import { parse } from "smol-toml";
import { catalogPlace } from "../../src/model/fleet/place.ts";

const root = new URL("../../", import.meta.url).pathname;
const read = (path: string) => Deno.readTextFileSync(root + path);

/** A process that is to run. */
export type Task = {
  readonly name: string;
  readonly what: "database" | "store" | "program";
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Ends by itself before the others start. */
  readonly is_first?: true;
};

/** A machine's names and folders as files have them, and where these are here. */
export type Machine = {
  readonly hosts: ReadonlyMap<string, string>;
  /** The first of these that a path begins with, and what stands there in its place. */
  readonly folders: readonly (readonly [from: string, to: string])[];
  readonly secrets: Readonly<Record<string, string>>;
};

type Yaml = {
  readonly services: Readonly<
    Record<string, {
      readonly image: string;
      readonly command?: readonly string[];
      readonly environment?: Readonly<Record<string, string>>;
    }>
  >;
};

/** What the compose file starts. */
export function composed(machine: Machine): readonly Task[] {
  const text = read("package/fleet/compose.yaml").replaceAll(
    /\$\{(\w+):\?\}/g,
    (_, name) => machine.secrets[name],
  );
  const { services } = load(text) as Yaml;
  const [, image_env] = /^ENV (.*)$/m.exec(read("Dockerfile"))!;
  return Object.entries(services).map(([name, { image, command = [], environment = {} }]) => {
    const what = image.startsWith("postgres:")
      ? "database"
      : image === "wattkeeper"
      ? "program"
      : "store";
    const own = what === "program" ? environmentOf(image_env) : {};
    return taskOf({ name, what, args: command, env: { ...own, ...environment } }, machine);
  }).map((task) => task.name === "extensions" ? { ...task, is_first: true } : task);
}

/** What the files for systemd start on machines that are named as nodes, and PostgreSQL. */
export function supervised(nodes: readonly (Machine & { readonly node: string })[]) {
  const [machine] = nodes;
  const unit = read("package/linux/wattkeeper.service");
  const store = read("package/fleet/wattkeeper-store.service");
  const program = lastLine(read("package/fleet/node.conf"), "ExecStart");
  const [, ...store_args] = lastLine(store, "ExecStart").split(" ");
  const keys = withSecrets(read("package/fleet/store.env"), machine);
  const config = (node: string) =>
    withSecrets(read("package/fleet/node.toml"), machine)
      .replace('fleet_node = "a"', `fleet_node = "${node}"`)
      .replace("//node-a:", `//node-${node}:`);
  const { user, password, database } = catalogPlace(`${parse(config("a")).fleet_catalog}`)!;
  const tasks: readonly Task[] = [
    {
      ...{ name: "db", what: "database", args: [] },
      env: { POSTGRES_USER: user!, POSTGRES_PASSWORD: password!, POSTGRES_DB: database! },
    },
    taskOf({ name: "store", what: "store", args: store_args, env: environmentOf(keys) }, machine),
    ...nodes.map((it): Task => {
      const [, ...args] = program.split(" ");
      const env = environmentOf(lastLine(unit, "Environment"));
      return taskOf({ name: `node-${it.node}`, what: "program", args, env }, it);
    }),
  ];
  return {
    tasks,
    files: nodes.map((it) => ({
      path: placed("/etc/wattkeeper/wattkeeper.toml", it),
      text: placed(config(it.node), it),
    })),
  };
}

/** The units as `systemd-analyze verify` reads them, where programs are elsewhere. */
export function unitFiles(programs: { readonly wattkeeper: string; readonly versitygw: string }) {
  const here = (text: string) =>
    text.replaceAll("/usr/bin/wattkeeper", programs.wattkeeper)
      .replaceAll("/usr/bin/versitygw", programs.versitygw);
  return {
    "wattkeeper.service": here(read("package/linux/wattkeeper.service")),
    "wattkeeper.service.d/node.conf": here(read("package/fleet/node.conf")),
    "wattkeeper-store.service": here(read("package/fleet/wattkeeper-store.service")),
  };
}

function taskOf(task: Task, machine: Machine): Task {
  return {
    ...task,
    args: task.args.map((it) => placed(it, machine)),
    env: Object.fromEntries(
      Object.entries(task.env).map(([name, value]) => [name, placed(value, machine)]),
    ),
  };
}

/** A text whose names of machines and folders are those of this one. */
function placed(text: string, { hosts, folders }: Machine): string {
  const named = text.replaceAll(
    /(?<=host=|\/\/)[a-z-]+(?=[ :"]|$)/g,
    (name) => hosts.get(name) ?? name,
  );
  const moved = folders.find(([from]) => named === from || named.startsWith(`${from}/`));
  return moved ? moved[1] + named.slice(moved[0].length) : named;
}

function withSecrets(text: string, { secrets }: Machine): string {
  return Object.entries(secrets).reduce((all, [name, value]) => all.replaceAll(name, value), text);
}

/** `NAME=value` of each line or word. */
function environmentOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split(/\s+/).filter(Boolean).map((it) => {
      const at = it.indexOf("=");
      return [it.slice(0, at), it.slice(at + 1)];
    }),
  );
}

function lastLine(unit: string, name: string): string {
  return [...unit.matchAll(new RegExp(`^${name}=(.+)$`, "gm"))].at(-1)![1];
}
