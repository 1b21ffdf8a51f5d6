// `service`: installs the executable as a service of systemd, on a machine without packages.
import type { Command } from "commander";
import settings_file from "../../../package/linux/wattkeeper.toml" with { type: "text" };
import sysusers from "../../../package/linux/sysusers.conf" with { type: "text" };
import unit from "../../../package/linux/wattkeeper.service" with { type: "text" };
import { Fault } from "../../base/fault.ts";
import { replaceFile } from "../../store/folder.ts";
import type { Context } from "../frame/context.ts";

const program_path = "/usr/local/bin/wattkeeper";
const settings_path = "/etc/wattkeeper/wattkeeper.toml";
const enabled_path = "/etc/systemd/system/multi-user.target.wants/wattkeeper.service";

/** What is written beside the program and its settings, as the package has it. */
const files: Readonly<Record<string, string>> = {
  "/etc/sysusers.d/wattkeeper.conf": sysusers,
  "/etc/systemd/system/wattkeeper.service": unit.replace("/usr/bin/wattkeeper", program_path),
};

const to_start = `
systemd-sysusers
systemctl daemon-reload
install -d -o wattkeeper -g wattkeeper -m 0700 /var/lib/wattkeeper
sudo -u wattkeeper ${program_path} --data-dir /var/lib/wattkeeper token list  # shown once
systemctl enable --now wattkeeper
`;

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
      await requireMachine(root);
      const changes = await changesOf(root);
      for (const [path, change] of changes) effects.out(`${change.padEnd(9)} ${root}${path}\n`);
      if (dryRun) return;
      await install(root, Deno.execPath());
      effects.out(`\nNow run as root, to start it or after a change:\n${to_start}`);
    });
  add("status", "show which of its files are there").action(async ({ root }: Flags) => {
    const states = { write: "missing", replace: "changed", keep: "there" };
    for (const [path, change] of await changesOf(root)) {
      effects.out(`${states[change].padEnd(9)} ${root}${path}\n`);
    }
    effects.out("\nWhether it runs: systemctl status wattkeeper\n");
  });
  add("remove", "remove the program and its unit; the settings and the data stay")
    .action(async ({ root }: Flags) => {
      await requireMachine(root);
      for (const path of await remove(root)) effects.out(`removed   ${root}${path}\n`);
      effects.out("\nNow run as root:\n\nsystemctl daemon-reload\n");
    });
}

/** Throws a `Fault` where this process can't install what it is into this machine. */
async function requireMachine(root: string): Promise<void> {
  if (!Deno.build.standalone) {
    throw new Fault(
      "invalid",
      "only the executable can be installed: make it by deno task compile",
    );
  }
  if (root !== "") return;
  if (!await isThere("/run/systemd/system")) {
    throw new Fault(
      "invalid",
      "systemd does not run here: have what does start `wattkeeper serve`",
    );
  }
  if (Deno.uid() !== 0) {
    const command = `sudo ${Deno.execPath()} service …`;
    throw new Fault("forbidden", `only root may change this machine's services: ${command}`);
  }
}

type Change = "write" | "replace" | "keep";

/** What an installation does with each file. */
export async function changesOf(root: string): Promise<readonly (readonly [string, Change])[]> {
  const changes: (readonly [string, Change])[] = [];
  for (const [path, text] of Object.entries(files)) {
    const found = await Deno.readTextFile(root + path).catch(() => undefined);
    changes.push([path, found === undefined ? "write" : found === text ? "keep" : "replace"]);
  }
  changes.push([settings_path, await isThere(root + settings_path) ? "keep" : "write"]);
  changes.push([program_path, await isThere(root + program_path) ? "replace" : "write"]);
  return changes;
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
