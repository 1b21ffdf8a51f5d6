// What happens to an older version's database before this program migrates it: it is backed up.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { backupFolder, type Settings } from "../../model/setting.ts";
import { packBackup, packedBytes, writeBackup } from "../../store/backup/pack.ts";
import type { Cut } from "../../store/instance.ts";
import type { DatabaseOptions } from "../../store/database.ts";
import { keepBackupTime, keptFolders } from "../../store/folder.ts";
import { backupName, requireRoom } from "./backup.ts";

type Parts = {
  readonly settings: Pick<Settings, "data_dir" | "backup_dir" | "upgrade">;
  readonly effects: Pick<Effects, "now_us">;
  /** The program's version. */
  readonly version: string;
  /** Is told each step, in a sentence. */
  readonly tell: (text: string) => void;
};

/** What a database is opened with so that an upgrade is done as the settings say. */
export function upgradeBy(parts: Parts): NonNullable<DatabaseOptions["onMigrate"]> {
  const { settings, tell } = parts;
  return async ({ from, to }, cut) => {
    if (settings.upgrade === "refuse") {
      throw new Fault(
        "conflict",
        `the database is of version ${from}, this program makes it ${to}, and upgrade is refuse: ` +
          "use the program of before, or start once with --upgrade backup",
      );
    }
    if (settings.upgrade === "backup") await backUp(parts, { cut, cause: `upgrade-from-${from}` });
    return (version) => tell(`the database is of version ${version} of ${to} now`);
  };
}

async function backUp(
  { settings, effects, version, tell }: Parts,
  { cut, cause }: { readonly cut: Cut; readonly cause: string },
): Promise<void> {
  const path = backupFolder(settings);
  const folders = keptFolders(settings);
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  await requireRoom(path, await packedBytes(cut, folders));
  const now_us = effects.now_us();
  const file = `${path}/${backupName(cause, now_us)}`;
  tell(`backing up the database before its upgrade: ${file}`);
  let told = 0;
  await writeBackup(
    file,
    packBackup(cut, {
      folders,
      program: version,
      made_at: new Date(now_us / 1000).toISOString(),
      onState: ({ done_bytes, total_bytes, tables_share }) => {
        const tenths = Math.floor(5 * (done_bytes / Math.max(1, total_bytes) + tables_share));
        if (tenths > told) tell(`backing up: ${10 * (told = tenths)} %`);
      },
    }),
  );
  await keepBackupTime(settings.data_dir, now_us / 1000);
}
