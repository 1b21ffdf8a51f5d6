// Decides whether sources are read again while a version is tried. Pure.
import type { Awaited } from "./version.ts";

/** A source as it does now: its definition, and which of its devices answer. */
export type SourceFacts = {
  readonly key: string;
  readonly definition: string;
  readonly devices: readonly { readonly name: string; readonly connected: boolean | null }[];
  /** Whether a value of it was stored since its reading began. */
  readonly delivers: boolean;
  readonly last_error: string | null;
};

/**
 * What has to be read again after sources became others: those that are declared still and had a
 * device that answered; where none of these is left but others came, every one of the others.
 */
export function awaitedOf(
  before: readonly SourceFacts[],
  after: readonly Pick<SourceFacts, "key" | "definition">[],
): Awaited {
  const read = before.map((it) => ({
    ...it,
    devices: it.devices.filter(({ connected }) => connected).map(({ name }) => name),
  })).filter(({ devices }) => devices.length > 0);
  const wanted = new Map(after.map(({ key, definition }) => [key, definition]));
  const kept = read.filter(({ key }) => wanted.has(key)).map(({ key, devices, definition }) => (
    { source: key, devices, is_same: wanted.get(key) === definition }
  ));
  if (kept.length > 0 || read.length === 0) return kept;
  return after.map(({ key }) => ({ source: key, devices: [], is_same: false }));
}

/** What is not read again yet, in words for a person; undefined where all is. */
export function missingOf(
  awaited: Awaited,
  sources: readonly SourceFacts[],
): string | undefined {
  const missing = awaited.flatMap(({ source, devices, is_same }) => {
    const now = sources.find(({ key }) => key === source);
    if (now === undefined) return [`the source ${source} is not read`];
    const lost = now.devices.filter(({ name, connected }) => devices.includes(name) && !connected);
    const why = now.last_error === null ? "" : ` (${now.last_error})`;
    if (lost.length > 0) return [`the source ${source} has lost ${lost[0].name}${why}`];
    const is_connected = now.devices.some(({ connected }) => connected);
    if (!is_connected) return [`the source ${source} does not connect${why}`];
    return is_same || now.delivers ? [] : [`the source ${source} delivers nothing${why}`];
  });
  const more = missing.length > 1 ? `, and ${missing.length - 1} more` : "";
  return missing.length === 0 ? undefined : missing[0] + more;
}
