// A shard that a node holds: its lease, its process, and the requests that run in it.
import type { Effects } from "../../base/effects.ts";
import { Bell, inTime } from "../../base/in_time.ts";
import { certainUntil } from "../../model/fleet/decide.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import type { Failing } from "../../model/fleet/restart.ts";
import type { ShardProcess } from "./shard_process.ts";

/** One holding of a shard, from its take-over until it is lost or given back. */
export class Holding {
  readonly no: number;
  readonly epoch: number;
  /** Set once another may have it. */
  is_lost = false;
  /** Whether new requests wait until it is at its next node. */
  is_leaving = false;
  /** Whether nobody writes to its directory any more once this node gives it back. */
  is_fenced = false;
  /** A process of it was killed as it hung, and none has opened its database since. */
  has_hung = false;
  process: ShardProcess | undefined;
  /** When it was begun last to let it run. */
  begun_ms = -Infinity;
  /** Where its process answers, and since when. */
  port: number | undefined;
  up_ms: number | undefined;
  /** Ends of its processes that came soon; undefined before the first. */
  failing: Failing | undefined;
  /** The nodes that could not let it run, as the catalogue has them. */
  tried: readonly string[] = [];
  readonly #effects: Pick<Effects, "monotonic_ms" | "sleep">;
  readonly #ended = new Bell();
  /** Until when the lease is certain, on the clock that never jumps. */
  #until_ms: number;
  #running = 0;

  constructor(
    { no, epoch }: { readonly no: number; readonly epoch: number },
    { asked_ms, effects }: {
      readonly asked_ms: number;
      readonly effects: Pick<Effects, "monotonic_ms" | "sleep">;
    },
  ) {
    this.no = no;
    this.epoch = epoch;
    this.#until_ms = certainUntil(asked_ms);
    this.#effects = effects;
  }

  /** The lease was renewed, which was asked for then. */
  renew(asked_ms: number): void {
    this.#until_ms = certainUntil(asked_ms);
  }

  /** For how long it is the node's beyond doubt. */
  get left_ms(): number {
    return this.is_lost ? 0 : Math.max(0, this.#until_ms - this.#effects.monotonic_ms());
  }

  /**
   * Whether the next node finds nothing of this one's in its directory. Where a process hung, the
   * system may write late, though it tells what it remembers of a volume meanwhile.
   */
  get is_shut(): boolean {
    return this.is_fenced && !this.has_hung;
  }

  /** Whether its directory may be opened. */
  get is_kept(): boolean {
    return !this.is_leaving && this.left_ms > 0;
  }

  /** A request has come in; call what it gives once that is answered to its last byte. */
  begin(): () => void {
    this.#running++;
    let is_over = false;
    return () => {
      // A client that goes away while the last bytes come ends it twice.
      if (is_over) return;
      is_over = true;
      this.#running--;
      this.#ended.ring();
    };
  }

  /** Lets no request in, and waits for those that run, but not for ever. */
  async leave(): Promise<void> {
    this.is_leaving = true;
    const over = (async () => {
      while (this.#running > 0) {
        this.#ended.still();
        await this.#ended.wait({ wait_ms: fleet_limits.leave_ms, effects: this.#effects });
      }
    })();
    await inTime(over, { wait_ms: fleet_limits.leave_ms, effects: this.#effects });
  }
}
