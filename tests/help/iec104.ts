// A station of IEC 60870-5-104 in memory, which a test makes send what it likes.
import { type Effects } from "../../src/base/effects.ts";
import type { Line } from "../../src/base/effects_line.ts";
import { source_limits } from "../../src/model/sources/limits.ts";
import {
  type Apdu,
  apduBytes,
  ApduReader,
  link_functions,
  readAsdu,
} from "../../src/wire/sources/iec104.ts";
import { aTurn } from "./until.ts";

/** Effects of a driver that waits for nothing that may share a commit. */
export function hurried<E extends Pick<Effects, "sleep">>(effects: E): E {
  const sleep: Effects["sleep"] = (ms, ...signals) =>
    ms === source_limits.gather_frames_ms ? aTurn() : effects.sleep(ms, ...signals);
  return { ...effects, sleep };
}

/** A station in memory: what it got, and what it is made to send. */
export class FakeStation {
  readonly got: Apdu[] = [];
  readonly line: Line;
  readonly #reader = new ApduReader();
  #sent = 0;
  #received = 0;
  #queue: (Uint8Array | undefined)[] = [];
  #wake = Promise.withResolvers<void>();

  constructor() {
    this.line = {
      send: (bytes) => {
        this.got.push(...this.#reader.take(bytes).apdus);
        return Promise.resolve();
      },
      receive: async () => {
        while (this.#queue.length === 0) await this.#wake.promise;
        return this.#queue.shift();
      },
      close: () => this.bytes(undefined),
    };
  }

  bytes(bytes: Uint8Array | undefined): void {
    this.#queue.push(bytes);
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  link(name: keyof typeof link_functions): void {
    this.bytes(apduBytes({ kind: "link", name }));
  }

  message(asdu: readonly number[], { skip = 0 } = {}): void {
    const sent = this.#sent + skip;
    this.#sent = sent + 1;
    const received = this.#received;
    this.bytes(apduBytes({ kind: "message", sent, received, asdu: Uint8Array.from(asdu) }));
  }

  /** The link frames, commands and acknowledgements that came, in words. */
  get said(): readonly string[] {
    return this.got.map((apdu) => {
      if (apdu.kind === "link") return apdu.name;
      if (apdu.kind === "acknowledged") return `acknowledged ${apdu.received}`;
      const { type, station } = readAsdu(apdu.asdu)!;
      return `command ${type} of ${station}`;
    });
  }
}
