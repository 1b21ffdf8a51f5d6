// Remembers how much of a file is imported, so that an import that was stopped goes on from there.
import { hex, utf8 } from "../../base/bytes.ts";
import { replaceFile } from "../../store/folder.ts";
import type { ImportMark } from "../../wire/import_file.ts";

/** Where a file's mark is kept, for one file as it is now and one way of reading it. */
export type MarkKeeper = {
  readonly read: () => Promise<ImportMark | undefined>;
  readonly keep: (mark: ImportMark) => Promise<void>;
  /** All is imported: there is nothing to go on with. */
  readonly forget: () => Promise<void>;
};

/** Beside the data in `folder`; `way` is how the file is read, as plain data. */
export async function markKeeper(
  folder: string,
  { path, way }: { readonly path: string; readonly way: unknown },
): Promise<MarkKeeper> {
  const { size, mtime } = await Deno.stat(path);
  const real = await Deno.realPath(path);
  const identity = JSON.stringify([real, size, mtime?.getTime() ?? null, way]);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(identity)));
  const place = `${folder}/import-${hex(digest).slice(0, 24)}.json`;
  return {
    async read() {
      try {
        return JSON.parse(await Deno.readTextFile(place)) as ImportMark;
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return undefined;
        throw error;
      }
    },
    keep: (mark) => replaceFile(place, JSON.stringify(mark)),
    forget: () => Deno.remove(place).catch(() => {}),
  };
}

/** Keeps nothing: for a service elsewhere, where sending again is safe. */
export const no_mark: MarkKeeper = {
  read: () => Promise.resolve(undefined),
  keep: () => Promise.resolve(),
  forget: () => Promise.resolve(),
};
