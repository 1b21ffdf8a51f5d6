// `service`: installs the executable as a service of systemd, on a machine without packages.
import type { Command } from "commander";
import settings_file from "../../../package/linux/wattkeeper.toml" with { type: "text" };
import sysusers from "../../../package/linux/sysusers.conf" with { type: "text" };
import unit from "../../../package/linux/wattkeeper.service" with { type: "text" };
import { Fault } from "../../base/fault.ts";
import { digestOf } from "../../store/far_folder.ts";
import { replaceFile } from "../../store/folder.ts";
import type { Context } from "../frame/context.ts";

const program_path = "/usr/local/bin/wattkeeper";
/** The program where the package has it. */
const packaged_path = "/usr/lib/wattkeeper/wattkeeper";
const settings_path = "/etc/wattkeeper/wattkeeper.toml";
const enabled_path = "/etc/systemd/system/multi-user.target.wants/wattkeeper.service";

/** What is written beside the program and its settings, as the package has it. */
const files: Readonly<Record<string, string>> = {
  "/etc/sysusers.d/wattkeeper.conf": sysusers,
  "/etc/systemd/system/wattkeeper.service": unit.replace("/usr/bin/wattkeeper", program_path),
};

const to_prepare = `
systemd-sysusers
systemctl daemon-reload
`;
const to_begin = `install -d -o wattkeeper -g wattkeeper -m 0700 /var/lib/wattkeeper
sudo -u wattkeeper ${program_path} --data-dir /var/lib/wattkeeper token list  # shown once
systemctl enable wattkeeper
`;
// It starts what does not run, too.
const to_run = "systemctl restart wattkeeper\n";

/** The commands that start what was installed below `root`, or start it again. */
export async function commandsAfter(root: string): Promise<string> {
  const is_enabled = await isThere(root + enabled_path);
  return to_prepare + (is_enabled ? "" : to_begin) + to_run;
}

type Flags = { readonly root: string };

/** Adds `service`. */
export function addServiceCommand(program: Command, { effects }: Context): void {
  const service = program.command("service").description("install as a service of systemd");
  const add = (name: string, description: string) =>
    service.command(name).description(description)
      .option("--root <directory>", "below which all files are, such as an image's", "");
  add("install", "write the program, its unit, its user and its settings; print how to start it")
    .option("--dry-run", "show what would be written")
    .action(async ({ root, dryRun }: Flags & { dryRun?: true }) => {
      requireExecutable();
      if (!dryRun) await requireMachine(root);
      const changes = await changesOf(root, Deno.execPath());
      for (const [path, change] of changes) effects.out(`${change.padEnd(9)} ${root}${path}\n`);
      if (dryRun) return;
      await install(root, Deno.execPath());
      effects.out(`\nNow run as root:\n${await commandsAfter(root)}`);
    });
  add("status", "show which of its files are there").action(async ({ root }: Flags) => {
    for (const [state, path] of await statesOf(root, Deno.execPath())) {
      effects.out(`${state.padEnd(9)} ${root}${path}\n`);
    }
    effects.out("\nWhether it runs: systemctl status wattkeeper\n");
  });
  add("remove", "remove the program and its unit; the settings and the data stay")
    .action(async ({ root }: Flags) => {
      requireExecutable();
      await requireMachine(root);
      for (const path of await remove(root)) effects.out(`removed   ${root}${path}\n`);
      effects.out("\nNow run as root:\n\nsystemctl daemon-reload\n");
    });
}

/** Throws a `Fault` where this process is not what can be installed. */
function requireExecutable(): void {
  if (!Deno.build.standalone) {
    throw new Fault(
      "invalid",
      "only the executable can be installed: make it by deno task compile",
    );
  }
}

/** Throws a `Fault` where this process may not change this machine. */
async function requireMachine(root: string): Promise<void> {
  if (root !== "") return;
  if (!await isThere("/run/systemd/system")) {
    throw new Fault(
      "invalid",
      "systemd does not run here; start `wattkeeper serve` by what supervises programs on this " +
        "machine",
    );
  }
  if (Deno.uid() !== 0) {
    const command = `sudo ${Deno.execPath()} service …`;
    throw new Fault("forbidden", `only root may change this machine's services: ${command}`);
  }
}

type Change = "write" | "replace" | "keep";

/** What an installation of `program` does with each file. */
export async function changesOf(
  root: string,
  program: string,
): Promise<readonly (readonly [string, Change])[]> {
  const changes: (readonly [string, Change])[] = [];
  for (const [path, text] of Object.entries(files)) {
    const found = await Deno.readTextFile(root + path).catch(() => undefined);
    changes.push([path, found === undefined ? "write" : found === text ? "keep" : "replace"]);
  }
  changes.push([settings_path, await isThere(root + settings_path) ? "keep" : "write"]);
  changes.push([program_path, await programChange(root + program_path, program)]);
  return changes;
}

async function programChange(path: string, program: string): Promise<Change> {
  if (!await isThere(path)) return "write";
  const sizes = await Promise.all([path, program].map(async (it) => (await Deno.stat(it)).size));
  if (sizes[0] !== sizes[1]) return "replace";
  return await digestOf(path) === await digestOf(program) ? "keep" : "replace";
}

/** What is there of an installation of `program`: by this command, or by the package. */
export async function statesOf(
  root: string,
  program: string,
): Promise<readonly (readonly [string, string])[]> {
  const is_packaged = await isThere(root + packaged_path);
  const states = { write: "missing", replace: "changed", keep: "there" };
  const found = (await changesOf(root, program))
    .map(([path, change]) => [states[change], path] as const);
  if (!is_packaged) return found;
  return [["package", packaged_path], ...found.filter(([state]) => state !== states.write)];
}

/** Writes all files below `root`; settings that are there stay as they are. */
export async function install(root: string, program: string): Promise<void> {
  const folderOf = (path: string) => path.replace(/\/[^/]*$/, "");
  const texts = await isThere(root + settings_path)
    ? files
    : { ...files, [settings_path]: settings_file };
  for (const [path, text] of Object.entries(texts)) {
    await Deno.mkdir(folderOf(root + path), { recursive: true });
    await replaceFile(root + path, text);
    await Deno.chmod(root + path, 0o644);
  }
  const to = root + program_path;
  if (program === to) return;
  await Deno.mkdir(folderOf(to), { recursive: true });
  await Deno.copyFile(program, `${to}.new`);
  await Deno.chmod(`${to}.new`, 0o755);
  await Deno.rename(`${to}.new`, to);
}

/** Removes what was installed, but the settings; gives the paths. A `Fault` while it is enabled. */
export async function remove(root: string): Promise<readonly string[]> {
  if (await isThere(root + enabled_path)) {
    throw new Fault("conflict", "stop the service first: systemctl disable --now wattkeeper");
  }
  const removed: string[] = [];
  for (const path of [...Object.keys(files), program_path]) {
    if (!await isThere(root + path)) continue;
    await Deno.remove(root + path);
    removed.push(path);
  }
  return removed;
}

function isThere(path: string): Promise<boolean> {
  return Deno.lstat(path).then(() => true, () => false);
}
