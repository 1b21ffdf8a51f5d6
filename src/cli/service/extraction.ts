// Removes what earlier versions of the binary unpacked beside what this one did.

/**
 * A compiled program unpacks itself into `<folder>/<hash>` at its first start, with a cache file
 * `<hash>.cache`, and never removes what another version left. `unpacked` is where this one runs
 * from; a program that is not compiled has nothing to remove.
 */
export async function removeOldExtractions(unpacked: string | undefined): Promise<void> {
  const [, folder, own] = /^(.+)\/([0-9a-f]{16})$/.exec(unpacked ?? "") ?? [];
  if (!Deno.build.standalone || own === undefined) return;
  for await (const { name } of Deno.readDir(folder)) {
    if (!/^[0-9a-f]{16}(\.cache)?$/.test(name) || name.startsWith(own)) continue;
    await Deno.remove(`${folder}/${name}`, { recursive: true }).catch(() => {});
  }
}
