// Sends one destination what waits for it, by itself: one that is down holds up no other.
import { getLogger } from "@logtape/logtape";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import type { Destination } from "../../model/destinations/destination.ts";
import type { DestinationEntry } from "../../model/destinations/form.ts";
import { destination_limits } from "../../model/destinations/limits.ts";
import { takeOut } from "../../model/upstream/span.ts";
import { Loop } from "../core/loop.ts";
import type { SpanLedger } from "../upstream/ledger.ts";
import { LineFault } from "../upstream/line.ts";
import { Patience } from "../upstream/patience.ts";
import type { Courier, CourierTools } from "./courier.ts";

const log = getLogger(["wattkeeper", "destinations"]);

type OutletParts = {
  readonly effects: CourierTools["effects"];
  readonly ledger: SpanLedger;
  readonly destination: Destination;
  readonly entry: DestinationEntry;
  /** Makes its courier. Throws a `Fault` where it can't be. */
  readonly open: () => Promise<Courier>;
};

/** A destination that is being sent to. */
export class Outlet {
  readonly loop: Loop;
  readonly patience: Patience;
  readonly #parts: OutletParts;
  readonly #stop = new AbortController();
  #courier: Courier | undefined;
  #done: Promise<void> | undefined;
  #has_brought = false;

  constructor(parts: OutletParts) {
    const { effects, destination: { key } } = parts;
    this.#parts = parts;
    this.patience = new Patience({
      effects,
      onTrouble: (reason) => {
        log.warning("the destination {key} waits: {reason}", { key, reason });
      },
      onEnd: () => log.info("the destination {key} works again", { key }),
    });
    this.loop = new Loop({
      name: `sending to ${key}`,
      effects,
      retry_ms: limits.loop_retry_ms,
      turn: (signal) => this.turn(signal),
    });
  }

  get parts(): OutletParts {
    return this.#parts;
  }

  /** Whether it took the last that it was sent; null as long as nothing was. */
  get connected(): boolean | null {
    if (this.patience.reason !== null) return false;
    return this.#has_brought ? true : null;
  }

  get notes(): readonly string[] {
    return this.#courier?.notes?.() ?? [];
  }

  /** Begins. */
  run(): void {
    this.#done = this.loop.run(this.#stop.signal).catch(() => {});
  }

  /** Ends, whatever is on its way. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
    await this.#courier?.close?.();
  }

  /** Sends all that can go now; gives when to look again, in milliseconds. */
  async turn(signal: AbortSignal): Promise<number> {
    const { destination: { project_no }, ledger } = this.#parts;
    try {
      await ledger.begin([{ project_no }]);
      const courier = this.#courier ??= await this.#parts.open();
      while (!signal.aborted && await this.#sendNext(courier, signal)) { /* more may wait */ }
      return destination_limits.look_ms;
    } catch (error) {
      if (signal.aborted) return 0;
      const fault = error instanceof Fault ? new LineFault(error.message) : error;
      if (!(fault instanceof LineFault)) throw error;
      return this.patience.waitAfter(fault);
    }
  }

  /** Sends a piece; says whether there may be more. */
  async #sendNext(courier: Courier, signal: AbortSignal): Promise<boolean> {
    const { destination: { project_no }, ledger } = this.#parts;
    const next = await courier.next(ledger.spansOf(project_no));
    if (next === undefined) return false;
    const { span, is_empty = false } = next;
    if (is_empty) {
      await ledger.change(project_no, (spans) => takeOut(spans, span));
      return true;
    }
    const carried = await courier.carry(span, signal);
    signal.throwIfAborted();
    await ledger.settle({ project_no, span, ...carried });
    this.#has_brought = true;
    this.patience.end();
    return true;
  }
}
