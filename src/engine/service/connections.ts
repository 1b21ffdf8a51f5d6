// The connections of clients: how many may be open, which give way to others, which idle too long.
import type { Effects } from "../../base/effects.ts";
import {
  type AllowedNetworks,
  isInNetworks,
  networkKey,
  parseNetworks,
} from "../../model/webhooks/address.ts";
import type { Settings } from "../../model/setting.ts";
import { service_limits } from "./limits.ts";

/** Why the service closed a connection: no request came, none came again, or it was in the way. */
type Reason = "no_request" | "idle" | "crowded";

/** One connection, from its opening to its end. */
export type Connection = {
  /** Whether a request of it is being answered. */
  readonly is_busy: boolean;
  /** A request has come in. */
  readonly begin: () => void;
  /** It is answered, to its last byte. */
  readonly end: () => void;
  /** The connection is gone. */
  readonly leave: () => void;
};

/** Those of one address. */
class Peer {
  count = 0;
  /** Those without a request; the one that has been so longest is first. */
  readonly idle = new Set<Entry>();
}

/** Every open connection. */
export class Connections {
  /** How many may be open: a share of the files that the process may open. */
  most = service_limits.open_files * service_limits.connections_share;
  /** How many the service closed, and how many it did not take, since the start. */
  readonly closed: Record<Reason | "refused", number> = {
    ...{ no_request: 0, idle: 0, crowded: 0, refused: 0 },
  };
  readonly #effects: Pick<Effects, "monotonic_ms">;
  readonly #proxies: AllowedNetworks;
  readonly #peers = new Map<string, Peer>();
  #count = 0;

  constructor(
    { effects, settings }: {
      readonly effects: Pick<Effects, "monotonic_ms">;
      readonly settings: Pick<Settings, "trusted_proxies">;
    },
  ) {
    this.#effects = effects;
    this.#proxies = parseNetworks(settings.trusted_proxies);
  }

  /** How many are open, and how many of them wait for a request. */
  get counts(): { readonly open: number; readonly idle: number } {
    const idle = [...this.#peers.values()].reduce((sum, peer) => sum + peer.idle.size, 0);
    return { open: this.#count, idle };
  }

  /**
   * Takes in a connection from an address. Where that has its share, or all are taken, the one that
   * has been idle longest is closed for it; undefined where none is idle.
   */
  open(address: string, close: () => void): Connection | undefined {
    const key = networkKey(address);
    const peer = this.#peers.get(key) ?? new Peer();
    const share = isInNetworks(address, this.#proxies)
      ? this.most
      : this.most * service_limits.address_share;
    const hasRoom = (peer.count < share || closeOldest(peer)) && this.#makeRoom();
    if (!hasRoom) {
      this.closed.refused++;
      return undefined;
    }
    this.#peers.set(key, peer);
    this.#count++;
    return new Entry(peer, {
      close,
      now_ms: () => this.#effects.monotonic_ms(),
      onEnd: (reason) => {
        if (reason) this.closed[reason]++;
        this.#count--;
        if (peer.count === 0 && this.#peers.get(key) === peer) this.#peers.delete(key);
      },
    });
  }

  /** Closes those that have waited too long for a request. */
  sweep(): void {
    for (const { idle } of this.#peers.values()) {
      for (const entry of idle) entry.closeIfLate();
    }
  }

  /** Where all are taken, who has the most gives one. */
  #makeRoom(): boolean {
    if (this.#count < this.most) return true;
    const peers = [...this.#peers.values()].filter(({ idle }) => idle.size > 0);
    return peers.length > 0 && closeOldest(peers.reduce((a, b) => b.count > a.count ? b : a));
  }
}

function closeOldest({ idle }: Peer): boolean {
  const [oldest] = idle;
  oldest?.closeFor("crowded");
  return oldest !== undefined;
}

type Bonds = {
  readonly close: () => void;
  readonly now_ms: () => number;
  readonly onEnd: (reason: Reason | undefined) => void;
};

class Entry implements Connection {
  readonly #peer: Peer;
  readonly #bonds: Bonds;
  #requests = 0;
  #has_asked = false;
  #is_gone = false;
  #since_ms: number;

  constructor(peer: Peer, bonds: Bonds) {
    this.#peer = peer;
    this.#bonds = bonds;
    this.#since_ms = bonds.now_ms();
    peer.count++;
    peer.idle.add(this);
  }

  get is_busy(): boolean {
    return this.#requests > 0;
  }

  readonly begin = (): void => {
    this.#has_asked = true;
    if (this.#requests++ === 0) this.#peer.idle.delete(this);
  };

  readonly end = (): void => {
    if (--this.#requests > 0 || this.#is_gone) return;
    this.#since_ms = this.#bonds.now_ms();
    this.#peer.idle.add(this);
  };

  readonly leave = (): void => this.#end();

  closeIfLate(): void {
    const idle_ms = this.#bonds.now_ms() - this.#since_ms;
    if (!this.#has_asked && idle_ms >= service_limits.no_request_ms) this.closeFor("no_request");
    else if (idle_ms >= service_limits.idle_ms) this.closeFor("idle");
  }

  closeFor(reason: Reason): void {
    this.#end(reason);
    this.#bonds.close();
  }

  #end(reason?: Reason): void {
    if (this.#is_gone) return;
    this.#is_gone = true;
    this.#peer.idle.delete(this);
    this.#peer.count--;
    this.#bonds.onEnd(reason);
  }
}
