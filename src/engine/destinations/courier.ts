// What a kind of destination does: which of what waits goes next, and how it is brought there.
import type { Effects } from "../../base/effects.ts";
import type { Posted } from "../../base/effects_post.ts";
import type { Project, Tag } from "../../model/plant/plant.ts";
import type { Secrets } from "../../model/destinations/form.ts";
import type { StampSpan, StampSpans } from "../../model/upstream/span.ts";
import { retryAfterMs, type SetAside } from "../../model/upstream/upstream.ts";
import type { Database } from "../../store/database.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { LineFault } from "../upstream/line.ts";

/** What a courier works with. */
export type CourierTools = {
  readonly destination_no: number;
  readonly database: Database;
  readonly catalog: Catalog;
  /** The stamp of the last that was stored, and the newest value of each tag. */
  readonly ingest: Pick<Ingest, "head_us" | "latest">;
  readonly effects: Pick<
    Effects,
    "now_us" | "monotonic_ms" | "sleep" | "random" | "post" | "connect" | "owns"
  >;
  readonly project: Project;
  readonly secrets: Secrets;
  /** The folder that files may lie in; undefined where none may. */
  readonly folder: string | undefined;
  /** Why an address must not be called; undefined when it may. */
  readonly refuse: (url: URL) => (address: string) => string | undefined;
  /** Whether a tag is sent: one of the project's signals that the destination asks for. */
  readonly isSent: (tag: Tag) => boolean;
  /** Counts rows that were taken just now. */
  readonly count: (rows: number) => void;
};

/** What became of a piece. */
export type Carried = {
  readonly rows: number;
  readonly bytes: number;
  readonly asides: readonly SetAside[];
};

/** What a person wants sent again. */
export type AskedAgain = {
  readonly asked_at: number;
  /** The rows that were not taken, by tag. */
  readonly asides: readonly Pick<SetAside, "tag_no" | "first_ts" | "last_ts">[];
  /** What waits again for them alone: the destination has the other rows of it. */
  readonly spans: StampSpans;
};

/** Brings what waits to one destination. Throws a `LineFault` where it can't now. */
export type Courier = {
  /** What of that which waits goes next; undefined for nothing now. */
  readonly next: (spans: StampSpans) => Promise<Next | undefined>;
  /** Brings a piece: each of its rows is there, or set aside. */
  readonly carry: (span: StampSpan, signal: AbortSignal) => Promise<Carried>;
  /** Keeps up what is there between pieces, such as a connection. */
  readonly tend?: (signal: AbortSignal) => Promise<void>;
  /** Is told what waits once more because a person asks for it. */
  readonly again?: (asked: AskedAgain) => void;
  /** What a person should know beside what is wrong. */
  readonly notes?: () => readonly string[];
  readonly close?: () => Promise<void>;
};

/** A piece to bring, or a span that holds nothing. */
export type Next = { readonly span: StampSpan; readonly is_empty?: true };

/** Why a destination can't be sent anything now. */
export function postFault(
  { status, error, retry_after }: Posted,
  { said, help, now_us = 0 }: {
    /** What it says of it, as far as that is told. */
    readonly said: string;
    readonly help: Readonly<Record<string, string>>;
    readonly now_us?: number;
  },
): LineFault {
  if (status === null) {
    const refused = error?.includes("is not global") ? ": see the setting destination_allow" : "";
    return new LineFault(`the destination does not answer: ${error}${refused}`);
  }
  const words = said === "" ? "" : `: ${said}`;
  const advice = help[said] ?? help[status];
  const message = `the destination answered ${status}${words}${advice ? `. ${advice}` : ""}`;
  return new LineFault(message, retryAfterMs(retry_after, now_us));
}
