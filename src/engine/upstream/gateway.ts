// The gateways of a centre: when each was heard, how it goes, and up to when it has told.
import * as z from "zod";
import type { Effects } from "../../base/effects.ts";
import { limits } from "../../base/limits.ts";
import type { Grant } from "../../model/access/token.ts";
import { plainText, textUpTo } from "../../model/data/text_form.ts";
import { rule_limits } from "../../model/rules/limits.ts";
import type { TagNews } from "../../model/rules/news.ts";
import type { Exchange } from "../../model/upstream/alarm.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import type { version_reports_form, VersionReport } from "../../model/upstream/version.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import {
  dropGateway,
  forgetGateways,
  type GatewayMark,
  type GatewayRow,
  readGateways,
  readGatewayTags,
  readMarks,
  storeGateway,
  storeGatewayTags,
  storeMark,
} from "../../store/upstream/gateway.ts";
import type { TokenInfo } from "../access/access.ts";
import { Loop } from "../core/loop.ts";
import { reviewSilences } from "../rules/silence.ts";

/** What a gateway says of itself. */
export const gateway_form = z.strictObject({
  name: textUpTo(limits.name_length).describe("The machine's own name."),
  version: textUpTo(limits.name_length).describe("Of the program."),
  lag_s: z.number().nonnegative().describe("Age of its oldest live row that waits."),
  waiting_rows: z.int().nonnegative().describe("Rows that wait to be forwarded."),
  lost_rows: z.int().nonnegative().describe("Rows that it had to drop before they were forwarded."),
});

/** A gateway as it was heard last; the instant in microseconds since 1970 UTC. */
export type HeardGateway = Omit<GatewayRow, "project_ids"> & {
  /** The projects of its token; null for all of an organization, or of every one. */
  readonly project_ids: readonly string[] | null;
  /** What it tells of the site files that it pulls, by the id of the project and the site's key. */
  readonly reports: ReadonlyMap<string, GatewaySite>;
};

type GatewayParts = {
  readonly database: Database;
  readonly effects: Pick<Effects, "now_us" | "monotonic_ms">;
};

/** A tag of a project. */
type TagPlace = { readonly tag_no: number; readonly project_no: number };

/** How the newest version of a site goes at a gateway. */
export type GatewaySite = VersionReport & { readonly project_id: string };

/** A site of a gateway: the gateway's own name, the project's id, the site's key. */
type ReportPlace = { readonly name: string; readonly project_id: string; readonly site: string };

/**
 * In memory, and on disk: a centre that starts again knows which gateways are away. What they tell
 * of site files is in memory alone: each is offered them again, and tells again.
 */
export class Gateways {
  readonly #parts: GatewayParts;
  /** The one heard last is the last. */
  readonly #heard = new Map<string, HeardGateway>();
  readonly #marks = new Map<string, GatewayMark>();
  /** When each was heard since the start, whatever the wall's clock was set to since. */
  readonly #heard_ms = new Map<string, number>();
  readonly #began_ms: number;
  /** When each mark went to the disk. */
  readonly #stored_ms = new Map<string, number>();
  /** By tag, the token of the gateway that sent it last. */
  readonly #tags = new Map<number, string>();

  /** Stores, and lets rules follow, what says which projects have a gateway. */
  onPeers: (change: (connection: Connection) => Promise<void>) => Promise<void>;

  private constructor(parts: GatewayParts) {
    this.#parts = parts;
    this.#began_ms = parts.effects.monotonic_ms();
    this.onPeers = (change) => parts.database.write(({ connection }) => change(connection));
  }

  /** Reads what is known of them. */
  static async open(parts: GatewayParts): Promise<Gateways> {
    const gateways = new Gateways(parts);
    await parts.database.read(async (connection) => {
      for (const { project_ids, ...row } of await readGateways(connection)) {
        const ids = project_ids === null ? null : JSON.parse(project_ids);
        gateways.#heard.set(heardKey(row), { ...row, project_ids: ids, reports: new Map() });
      }
      for (const mark of await readMarks(connection)) gateways.#marks.set(markKey(mark), mark);
      for (const { tag_no, token_id } of await readGatewayTags(connection)) {
        gateways.#tags.set(tag_no, token_id);
      }
    });
    return gateways;
  }

  /** Notes what a gateway says. */
  async hear(grant: Grant, facts: z.output<typeof gateway_form>): Promise<void> {
    const { token_id, name: token_name, project_ids, organization_id } = grant;
    const heard_us = this.#parts.effects.now_us();
    const row = { ...facts, token_id, token_name, organization_id, heard_us };
    await this.#parts.database.write(({ connection }) =>
      storeGateway(connection, {
        ...row,
        project_ids: project_ids === null ? null : JSON.stringify(project_ids),
      })
    );
    const key = heardKey(row);
    this.#heard_ms.set(key, this.#parts.effects.monotonic_ms());
    const reports = this.#heard.get(key)?.reports ?? new Map();
    this.#heard.delete(key);
    this.#heard.set(key, { ...row, project_ids, reports });
    await this.#bound(row);
  }

  /** Nobody's gateways are forgotten over those of others: neither by names, nor by tokens. */
  async #bound({ token_id, organization_id }: Pick<GatewayRow, "token_id" | "organization_id">) {
    const all = [...this.#heard.values()];
    const names = all.filter((it) => it.token_id === token_id);
    if (names.length > upstream_limits.gateway_names) {
      await this.#parts.database.write(({ connection }) => dropGateway(connection, names[0]));
      this.#heard.delete(heardKey(names[0]));
      this.#heard_ms.delete(heardKey(names[0]));
    }
    const own = all.filter((it) => it.organization_id === organization_id);
    if (own.length > upstream_limits.gateways) await this.#forget([own[0].token_id]);
  }

  /** Notes what a gateway tells of its versions; nothing of one that was not heard. */
  report(
    grant: Grant,
    { name, project_id, sites }: z.output<typeof version_reports_form> & {
      readonly project_id: string;
    },
  ): void {
    const key = heardKey({ token_id: grant.token_id, name });
    const known = this.#heard.get(key);
    if (known === undefined) return;
    const plain = (text: string | null) => text && plainText(text, upstream_limits.reason_length);
    const told = sites.map((it) => {
      const site = { project_id, ...it, reason: plain(it.reason), held_by: plain(it.held_by) };
      return [reportKey(site), site] as const;
    });
    const reports = new Map([...known.reports, ...told].slice(-upstream_limits.offers));
    this.#heard.set(key, { ...known, reports });
  }

  /** What a gateway told of a site last; undefined for nothing. */
  reportOf(
    { token_id }: Pick<Grant, "token_id">,
    { name, ...place }: ReportPlace,
  ): GatewaySite | undefined {
    return this.#heard.get(heardKey({ token_id, name }))?.reports.get(reportKey(place));
  }

  /** All of them, the one heard last first; when, by the wall's clock as it is now. */
  list(): readonly HeardGateway[] {
    const now_us = this.#parts.effects.now_us();
    return Array.from(this.#heard.values(), (it) => {
      const silent_ms = this.#silentMs(it);
      if (silent_ms === undefined) return it;
      return { ...it, heard_us: Math.round(now_us - silent_ms * 1000) };
    }).toReversed();
  }

  /** Why a gateway counts as away; null where it does not. */
  awayReason(gateway: HeardGateway): string | null {
    const { monotonic_ms } = this.#parts.effects;
    const silent_ms = this.#silentMs(gateway);
    const least_s = upstream_limits.away_ms / 1000;
    if (silent_ms !== undefined) {
      if (silent_ms <= upstream_limits.away_ms) return null;
      return `it was not heard for ${least_s} s: it is off, its line is down, or it was told to ` +
        "leave; `wattkeeper upstream status` there says what it knows";
    }
    const began_s = Math.round((monotonic_ms() - this.#began_ms) / 1000);
    return began_s <= least_s
      ? `this service was started ${began_s} s ago, and has not heard it since`
      : "it was not heard since this service was started: it is off, or its line is down";
  }

  /** How long a gateway is silent; undefined where it was not heard since the start. */
  #silentMs(gateway: Pick<HeardGateway, "token_id" | "name">): number | undefined {
    const heard_ms = this.#heard_ms.get(heardKey(gateway));
    return heard_ms === undefined ? undefined : this.#parts.effects.monotonic_ms() - heard_ms;
  }

  /** What a gateway told of a project before; undefined for nothing. */
  markOf(grant: Pick<Grant, "token_id">, project_no: number): GatewayMark | undefined {
    return this.#marks.get(markKey({ token_id: grant.token_id, project_no }));
  }

  /** What each gateway of a project told. */
  marksOf(project_no: number): readonly GatewayMark[] {
    return [...this.#marks.values()].filter((mark) => mark.project_no === project_no);
  }

  /** Notes up to when a gateway has told, as it says now. */
  async tell(
    { token_id }: Pick<Grant, "token_id">,
    project_no: number,
    { gateway: name, told_us, backlog_from_us, backlog_to_us }: Omit<Exchange, "alarms">,
  ): Promise<void> {
    const { now_us, monotonic_ms } = this.#parts.effects;
    const heard_us = now_us();
    const own = heardKey({ token_id, name });
    if (this.#heard.has(own)) this.#heard_ms.set(own, monotonic_ms());
    const key = markKey({ token_id, project_no });
    const before = this.#marks.get(key);
    // What came meanwhile was not judged: silences in it are looked for once all is here.
    const review_us = backlog_from_us === null
      ? before?.review_us ?? null
      : Math.min(backlog_from_us, before?.review_us ?? Infinity);
    const mark = { token_id, project_no, name, heard_us, told_us, backlog_from_us, backlog_to_us };
    await this.#put({ ...mark, review_us });
  }

  /** What is to be reviewed: all of it has come. */
  get due(): readonly GatewayMark[] {
    return [...this.#marks.values()].filter(({ review_us, backlog_to_us }) =>
      review_us !== null && backlog_to_us === null
    );
  }

  /** Notes that silences were looked for, unless more has begun to come late since. */
  async reviewed({ token_id, project_no, review_us }: GatewayMark): Promise<void> {
    const now = this.#marks.get(markKey({ token_id, project_no }));
    if (now?.review_us === review_us && now.backlog_to_us === null) {
      await this.#put({ ...now, review_us: null });
    }
  }

  /** Notes that a gateway sends tags, if the token is one's. */
  async sent({ token_id }: Pick<Grant, "token_id">, tag_nos: readonly number[]): Promise<void> {
    const fresh = tag_nos.filter((tag_no) => this.#tags.get(tag_no) !== token_id);
    if (fresh.length === 0) return;
    await this.#parts.database.write(({ connection }) =>
      storeGatewayTags(connection, { token_id, tag_nos: fresh })
    );
    for (const tag_no of fresh) this.#tags.set(tag_no, token_id);
  }

  /** Whether a token is a gateway's. */
  isGateway({ token_id }: Pick<Grant, "token_id">): boolean {
    return [...this.#marks.values()].some((mark) => mark.token_id === token_id);
  }

  /** The tags that come by the gateway of a token. */
  tagsOf({ token_id }: Pick<Grant, "token_id">): ReadonlySet<number> {
    return new Set([...this.#tags].filter(([, it]) => it === token_id).map(([tag_no]) => tag_no));
  }

  /**
   * Up to when a tag's gateway has told; undefined where it comes by none. One that never sent
   * anything (`is_new`) comes by the gateway of its project.
   */
  newsOf(
    { tag_no, project_no }: TagPlace,
    { is_new }: { readonly is_new: boolean },
  ): TagNews | undefined {
    const token_id = this.#tags.get(tag_no);
    if (token_id !== undefined) return this.#marks.get(markKey({ token_id, project_no }));
    return is_new ? this.marksOf(project_no).at(0) : undefined;
  }

  /** Forgets the gateways whose tokens `isKnown` does not know; says whether there were any. */
  async prune(isKnown: (token_id: string) => boolean): Promise<boolean> {
    const token_ids = [...this.#heard.values(), ...this.#marks.values()]
      .map(({ token_id }) => token_id).filter((token_id) => !isKnown(token_id));
    if (token_ids.length > 0) await this.#forget([...new Set(token_ids)]);
    return token_ids.length > 0;
  }

  async #forget(token_ids: readonly string[]): Promise<void> {
    await this.onPeers((connection) => forgetGateways(connection, token_ids));
    for (const kept of [this.#heard, this.#marks]) {
      for (const [key, { token_id }] of kept) {
        if (!token_ids.includes(token_id)) continue;
        kept.delete(key);
        this.#heard_ms.delete(key);
      }
    }
    for (const [no, token_id] of this.#tags) {
      if (token_ids.includes(token_id)) this.#tags.delete(no);
    }
  }

  async #put(mark: GatewayMark): Promise<void> {
    const key = markKey(mark);
    const before = this.#marks.get(key);
    const now_ms = this.#parts.effects.monotonic_ms();
    const is_due = now_ms - (this.#stored_ms.get(key) ?? -Infinity) >= upstream_limits.mark_ms;
    const is_news = before?.backlog_to_us !== mark.backlog_to_us ||
      before.review_us !== mark.review_us;
    if (this.marksOf(mark.project_no).length === 0) {
      await this.onPeers((connection) => storeMark(connection, mark));
      this.#stored_ms.set(key, now_ms);
    } else if (is_due || is_news) {
      await this.#parts.database.write(({ connection }) => storeMark(connection, mark));
      this.#stored_ms.set(key, now_ms);
    }
    this.#marks.set(key, mark);
  }
}

function heardKey({ token_id, name }: Pick<GatewayRow, "token_id" | "name">): string {
  return `${token_id} ${name}`;
}

function markKey({ token_id, project_no }: Pick<GatewayMark, "token_id" | "project_no">): string {
  return `${token_id} ${project_no}`;
}

function reportKey({ project_id, site }: Omit<ReportPlace, "name">): string {
  return `${project_id} ${site}`;
}

type LateParts = Parameters<typeof reviewSilences>[0] & {
  readonly gateways: Gateways;
  readonly access: { readonly list: () => readonly TokenInfo[] };
  readonly effects: Pick<Effects, "now_us" | "random" | "sleep">;
};

/** Looks now and then; also forgets the gateways whose tokens are gone. */
export function lateLoop(parts: LateParts): Loop {
  return new Loop({
    name: "reviewing what gateways told late",
    effects: parts.effects,
    retry_ms: limits.loop_retry_ms,
    turn: async () => {
      await reviewLateTold(parts);
      return parts.gateways.list().length > 0 ? upstream_limits.meet_ms : Infinity;
    },
  });
}

/** Looks for silences in all that has come late and is here now. */
export async function reviewLateTold({ gateways, access, ...parts }: LateParts): Promise<void> {
  const tokens = new Set(
    access.list().filter(({ revoked_at }) => revoked_at === null).map(({ id }) => id),
  );
  await gateways.prune((token_id) => tokens.has(token_id));
  const now_us = parts.effects.now_us();
  for (const mark of gateways.due) {
    const own = [...gateways.tagsOf(mark)].filter((tag_no) =>
      parts.catalog.tag(tag_no)?.project_no === mark.project_no
    );
    const from_us = Math.max(mark.review_us!, now_us - rule_limits.watch_back_us);
    await reviewSilences(parts, { tag_nos: own, from_us, to_us: now_us });
    await gateways.reviewed(mark);
  }
}
