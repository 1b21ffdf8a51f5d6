// Lets commands on this machine reach the service: its address and a token in a file of its owner.
import type { Effects } from "../../base/effects.ts";
import type { Folder } from "../../store/folder.ts";
import type { Access } from "../access/access.ts";
import { Loop } from "../core/loop.ts";
import { service_limits } from "./limits.ts";

type Parts = {
  readonly access: Pick<Access, "makeLocalToken">;
  readonly folder: Pick<Folder, "keepDoor" | "removeDoor">;
  readonly effects: Pick<Effects, "sleep">;
};

/** Whoever can read the data directory may do everything; the token changes every few minutes. */
export class LocalAccess {
  readonly loop: Loop;
  readonly #parts: Parts;
  #url: string | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.loop = new Loop({
      name: "letting local commands in",
      effects: parts.effects,
      retry_ms: service_limits.door_ms,
      turn: () => this.#turn(),
    });
  }

  /** Tells where the service answers. */
  open(url: string): void {
    this.#url = url;
    this.loop.wake();
  }

  /** Takes the file away; the loop has ended. */
  async close(): Promise<void> {
    await this.#parts.folder.removeDoor();
  }

  async #turn(): Promise<number> {
    const { access, folder } = this.#parts;
    if (this.#url === undefined) return Infinity;
    await folder.keepDoor({ url: this.#url, token: access.makeLocalToken() });
    return service_limits.door_ms;
  }
}
