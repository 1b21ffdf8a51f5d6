// Keeps a copy of a shard's outline in the catalogue for as long as it is true.
import { Fault } from "../../base/fault.ts";
import type { Effects } from "../../base/effects.ts";
import { Lock } from "../../base/lock.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import type { OutlineWord } from "../../model/fleet/outline.ts";
import type { Settings } from "../../model/setting.ts";
import type { Database } from "../../store/database.ts";
import { type Outline, readOutline } from "../../store/site/outline.ts";
import { Loop } from "../core/loop.ts";

type Parts = {
  readonly database: Database;
  readonly effects: Pick<Effects, "sleep">;
  /** The program's version: what another one reads by it may differ. */
  readonly version: string;
  /** Says it to the catalogue; gives the number of the outline there; undefined: it does not. */
  readonly keep: (word: OutlineWord) => Promise<number | undefined>;
};

/**
 * Whoever stands in for a shard reads by what this keeps. So the copy is withdrawn before a change
 * of the outline is committed, and kept anew once that is over; where the catalogue does not answer
 * meanwhile, the change is refused.
 */
export class OutlineKeeper {
  readonly loop: Loop;
  readonly #parts: Parts;
  readonly #lock = new Lock();
  /** Rises before each change is committed. */
  #changes = 0;
  /** Whether a copy may count. None does at first: who opened the shard's directory ended it. */
  #may_count = false;
  /** The number that the catalogue gave last; undefined where nobody knows it. */
  #no: number | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.database.watchOutline((commit) => this.#change(commit));
    this.loop = new Loop({
      name: "keeping the outline of the plant",
      effects: parts.effects,
      retry_ms: fleet_limits.outline_ms,
      turn: async () => {
        await this.settle();
        const { is_sealed } = parts.database.far;
        return is_sealed ? fleet_limits.outline_ms : fleet_limits.beat_ms;
      },
    });
  }

  /**
   * Keeps a copy of the outline as it is, unless the one that is kept counts. Not before the lake
   * says of each day what this database has: a backup may have been restored.
   */
  async settle(): Promise<void> {
    const { database, version, keep } = this.#parts;
    if (this.#may_count && this.#no !== undefined || !database.far.is_sealed) return;
    // After a change that is being committed: half of it may be read before that.
    const changes = await this.#lock.run(() => Promise.resolve(this.#changes));
    const outline = await packed({ version, outline: await database.read(readOutline) });
    await this.#lock.run(async () => {
      if (this.#changes !== changes) return;
      const after_no = await this.#withdraw();
      [this.#may_count, this.#no] = [true, undefined];
      this.#no = heard(await keep({ after_no, outline }));
    });
  }

  #change(commit: () => Promise<void>): Promise<void> {
    return this.#lock.run(async () => {
      this.#changes++;
      if (this.#may_count) await this.#withdraw();
      await commit();
    });
  }

  /** Lets no copy count; gives the number that the catalogue has for that. */
  async #withdraw(): Promise<number> {
    if (!this.#may_count && this.#no !== undefined) return this.#no;
    this.#no = undefined;
    const no = heard(await this.#parts.keep({ after_no: 0, outline: null }));
    [this.#may_count, this.#no] = [false, no];
    return no;
  }
}

/**
 * Whether anybody can stand in for a shard: its old days lie where other nodes reach them, and not
 * on its own volume.
 */
export function isToBeOutlined(settings: Pick<Settings, "tier" | "lake_dir">): boolean {
  return settings.tier.startsWith("ducklake:postgres:") && settings.lake_dir !== "none";
}

/** An outline, and the version of the program that wrote it. */
export type WrittenOutline = { readonly version: string; readonly outline: Outline };

async function packed(written: WrittenOutline): Promise<string> {
  const text = new Blob([JSON.stringify(written)]).stream();
  const bytes = await new Response(text.pipeThrough(new CompressionStream("gzip"))).bytes();
  return bytes.toBase64();
}

/** What `packed` made of it. */
export async function unpacked(text: string): Promise<WrittenOutline> {
  const bytes = new Blob([Uint8Array.fromBase64(text)]).stream();
  return await new Response(bytes.pipeThrough(new DecompressionStream("gzip"))).json();
}

/** What the catalogue said. Throws a `Fault` (unavailable) where it said nothing. */
function heard(no: number | undefined): number {
  if (no !== undefined) return no;
  const what = "the plant can't change while the fleet's catalogue does not answer";
  throw new Fault("unavailable", `${what}: send it again`, {
    retry_after_s: fleet_limits.retry_after_s,
  });
}
