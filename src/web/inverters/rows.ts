// Which inverters are shown, and in which order.
import type { Device } from "../frame/plant.ts";
import type { Sort } from "./view.ts";

/** What the reader asks for. */
type Asked = {
  readonly sort: Sort;
  /** The id of a block. */
  readonly block_id: string | undefined;
  readonly find: string;
};

/** The rows to show: the places of devices in their list. */
export function shownRows(
  devices: readonly Device[],
  /** How bad each one is, NaN where unknown. */
  badness: readonly number[],
  { sort, block_id, find }: Asked,
): readonly number[] {
  const words = find.toLowerCase().split(/\s+/).filter((it) => it !== "");
  const found = devices.map((_, row) => row).filter((row) => {
    const text = `${devices[row].name} ${devices[row].key}`.toLowerCase();
    return (block_id === undefined || devices[row].block_id === block_id) &&
      words.every((word) => text.includes(word));
  });
  const byName = (a: number, b: number) => natural.compare(devices[a].name, devices[b].name);
  const byBlock = (a: number, b: number) =>
    (devices[a].block_id ?? "").localeCompare(devices[b].block_id ?? "") || byName(a, b);
  const worst = (row: number) => Number.isNaN(badness[row]) ? -Infinity : badness[row];
  const byBadness = (a: number, b: number) =>
    worst(a) === worst(b) ? byName(a, b) : worst(b) - worst(a);
  return found.toSorted({ name: byName, block: byBlock, shortfall: byBadness }[sort]);
}

const natural = new Intl.Collator("en", { numeric: true });
