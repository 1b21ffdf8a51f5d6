// `backup`, `backup verify` and `restore`: a file that holds everything, proved, and put back.
import { counted } from "../../base/count.ts";
import type { Command } from "commander";
import { Fault } from "../../base/fault.ts";
import { requireRoom } from "../../engine/backup/backup.ts";
import { keyPath } from "../../model/setting.ts";
import { keepCertificates } from "../../store/backup/certificates.ts";
import { type Manifest, openBackup, readContainer } from "../../store/backup/container.ts";
import { packBackup, type PackState, refuseTaken, writeBackup } from "../../store/backup/pack.ts";
import { restoreBackup, type RestoreTarget } from "../../store/backup/restore.ts";
import { keyId, readKey } from "../../store/vault.ts";
import {
  certificatesPath,
  Folder,
  hasShards,
  keepBackupTime,
  keptFolders,
  sizeOf,
} from "../../store/folder.ts";
import { type Context, offline, requireNoNode, serviceOf } from "../frame/context.ts";
import { showProgress } from "../frame/progress.ts";
import {
  askResponse,
  type Question,
  type Remote,
  type RemoteFlags,
  withRemote,
} from "../frame/remote.ts";

/** Adds `backup` and `restore`. */
export function addBackupCommands(program: Command, context: Context): void {
  const backup = program.command("backup").argument("<file>", "the file to write; it must be new")
    .description("write everything into one file while the service works, and prove every byte")
    .addHelpText("after", backup_help);
  withRemote(backup).option("--shard <number>", "with --url of a node: this shard of its fleet");
  backup.action(async (file: string, flags: RemoteFlags & { readonly shard?: string }) => {
    await refuseTaken(file);
    const remote = await serviceOf(context, flags);
    if (flags.shard !== undefined && flags.url === undefined) {
      throw new Fault("invalid", "--shard goes with --url, the address of a node of the fleet");
    }
    if (remote === undefined) await backUpHere(context, file);
    else await backUpThere(context, file, { remote, ...flags });
    const contents = contentsOf(await proved(file), { done: ", verified" });
    context.effects.out(`${file} holds ${contents}\n`);
  });
  backup.command("verify").argument("<file>", "a file that `backup` made")
    .description("restore a backup into a temporary directory and compare every table")
    .option("--into <directory>", "where there is room for it; by default beside the file")
    .action(async (file: string, { into }: { into?: string }) => {
      const manifest = await drill(context, file, into ?? folderOf(file));
      context.effects.out(`${file} can be restored: ${contentsOf(manifest)}\n`);
    });
  program.command("restore").argument("<file>", "a file that `backup` made")
    .description("put a backup into an empty data directory, and compare every table")
    .action((file: string) => restore(context, file));
}

const backup_help = `
The file is a tar archive: the database, its log, the files beside it, and a manifest with digests.
The service goes on meanwhile. Without --url the one that holds the data directory is asked; when
none runs, the directory is read.

  wattkeeper backup plant.tar
  wattkeeper backup plant.tar --url http://plant:8480 --token-file token.txt
  wattkeeper backup shard-3.tar --url http://node:8480 --token-file token.txt --shard 3
  wattkeeper backup verify plant.tar`;

function contentsOf({ tables, key }: Manifest, { done = "" } = {}): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const secrets = key === null ? "" : `; its secrets need the key ${key}`;
  return `${tables.length} tables, ${counted(rows, "row")}${done}${secrets}`;
}

async function backUpHere(context: Context, file: string): Promise<void> {
  const { effects, version } = context;
  const progress = await showProgress(effects, { label: "Backing up", total: 100 });
  const made_ms = effects.now_us() / 1000;
  try {
    await offline(context, async ({ database, settings }) => {
      await keepCertificates(database, certificatesPath(settings));
      using cut = await database.cut();
      const options = {
        folders: keptFolders(settings),
        program: version,
        made_at: new Date(made_ms).toISOString(),
        onState: (state: PackState) => progress.update(percentOf(state), ""),
      };
      await writeBackup(file, packBackup(cut, options));
      await keepBackupTime(settings.data_dir, made_ms);
    });
  } finally {
    progress.stop();
  }
}

/** Copying and reading count half each. */
function percentOf({ done_bytes, total_bytes, tables_share }: PackState): number {
  return 50 * (done_bytes / Math.max(1, total_bytes) + tables_share);
}

async function backUpThere(
  { effects }: Context,
  file: string,
  { remote, shard }: { readonly remote: Remote; readonly shard?: string },
): Promise<void> {
  effects.err(`Asking ${remote.url}\n`);
  const question: Question = {
    ...{ method: "POST", path: "/admin/v1/backups/stream" },
    ...(shard === undefined ? {} : { search: { shard } }),
  };
  const { body } = await askResponse(effects, remote, question);
  if (body === null) throw new Fault("invalid", `${remote.url} sent nothing`);
  await writeBackup(file, body);
}

/** What is in the file, read from it; a file that is not what was sent is removed. */
async function proved(file: string): Promise<Manifest> {
  try {
    return await readContainer(file);
  } catch (error) {
    await Deno.remove(file);
    throw error;
  }
}

/** Restores into a directory that is removed again. */
async function drill(context: Context, file: string, into: string): Promise<Manifest> {
  (await openBackup(file)).close();
  const path = await Deno.makeTempDir({ dir: into, prefix: "wattkeeper-drill-" })
    .catch((error) => {
      throw new Fault("invalid", `${into} can't be written: ${error.message}; give --into`);
    });
  try {
    return await restoreInto(context, file, { path, folders: keptFolders({ data_dir: path }) });
  } finally {
    await Deno.remove(path, { recursive: true });
  }
}

/** A failed one leaves the directory as it was. */
async function restore(context: Context, file: string): Promise<void> {
  const { settings } = await context.resolve();
  const { data_dir: path } = settings;
  if (await hasShards(path)) requireNoNode(settings, "give a shard's directory with --data-dir");
  const was_there = await Deno.stat(path).then(() => true, () => false);
  const had_lock = await Folder.hasLock(path);
  const folder = await Folder.open(path);
  try {
    const { key } = await restoreInto(context, file, { path, folders: keptFolders(settings) });
    context.effects.out(`${path} holds what ${file} held, every table compared\n`);
    const key_path = keyPath(settings);
    const found = await readKey(key_path).catch(() => undefined);
    if (key === null || found && keyId(found) === key) return;
    context.effects.err(
      `its secrets need the key ${key}: put that key's file at ${key_path}, or make new secrets ` +
        "with `wattkeeper key reset`\n",
    );
  } catch (error) {
    if (!had_lock) await folder.removeLock();
    if (!was_there) await Deno.remove(path, { recursive: true });
    throw error;
  } finally {
    folder.close();
  }
}

async function restoreInto(
  { effects, resolve }: Context,
  file: string,
  target: RestoreTarget,
): Promise<Manifest> {
  const { memory_mb, threads, library_dir } = (await resolve()).settings;
  await requireRoom(target.path, await sizeOf(file), { remedy: "free some space, or use another" });
  const progress = await showProgress(effects, { label: "Comparing", total: 100 });
  const onState = (share: number) => progress.update(100 * share, "");
  try {
    const how = { effects, memory_mb, threads, library_dir };
    return await restoreBackup(file, target, { ...how, onState });
  } finally {
    progress.stop();
  }
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf("/") + 1) || ".";
}
