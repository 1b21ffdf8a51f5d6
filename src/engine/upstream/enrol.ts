// Lets a gateway in by a code that is valid once: at the centre it is made, at the gateway used.
import * as z from "zod";
import { sha256Hex } from "../../base/digest.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { textUpTo } from "../../model/data/text_form.ts";
import type { Settings } from "../../model/setting.ts";
import { requireOrigin } from "../../model/setting_form.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { detailOf, jsonIn, strange_centre, waitReason } from "../../model/upstream/upstream.ts";
import type { Database } from "../../store/database.ts";
import type { Connection } from "../../store/connection.ts";
import { keepFacts, readFact } from "../../store/meta.ts";
import { secret_places } from "../../store/vault.ts";
import {
  addCode,
  countCodes,
  dropCode,
  dropOldCodes,
  findCode,
} from "../../store/upstream/code.ts";
import type { Access, TokenRequest } from "../access/access.ts";
import type { Log } from "../core/log.ts";
import { type Centre, Line } from "./line.ts";

/** What a gateway sends to be let in. */
export const enrol_form = z.strictObject({
  code: z.string().max(limits.name_length).describe("The code that the centre made."),
});

/** What it gets. */
export const enrolled_form = z.strictObject({
  token: z.string().regex(/^wk_\w+$/).describe(
    "With the scope ingest, for the projects that the code was made for.",
  ),
});

/** What a gateway is told to join its centre. */
export const join_form = z.strictObject({
  url: textUpTo(limits.name_length).describe("Address of the centre, without a path."),
  code: z.string().max(limits.name_length).describe(
    "What `wattkeeper gateway enrol` printed there.",
  ),
});

/** A code and until when it can be used, in microseconds since 1970 UTC. */
export type GatewayCode = { readonly code: string; readonly expires_at: number };

type CodeParts = {
  readonly database: Database;
  readonly access: Pick<Access, "create">;
  readonly effects: Pick<Effects, "random" | "now_us">;
};

/** No letter that is taken for another one (Crockford's base 32). */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The codes of a centre that nobody used yet, on disk by their digest. */
export class GatewayCodes {
  readonly #parts: CodeParts;

  constructor(parts: CodeParts) {
    this.#parts = parts;
  }

  /** Makes a code for a token. Throws a `Fault` (conflict) where its organization has too many. */
  async make(request: TokenRequest): Promise<GatewayCode> {
    const { database, effects } = this.#parts;
    const { organization_id } = request;
    const letters = Array.from(effects.random(16), (byte) => digits[byte % 32]).join("");
    const now_us = effects.now_us();
    const expires_at = now_us + upstream_limits.code_ms * 1000;
    await database.write(async ({ connection }) => {
      await dropOldCodes(connection, now_us);
      if (await countCodes(connection, organization_id) >= upstream_limits.codes) {
        const advice = "use them, or wait until they are over";
        throw new Fault("conflict", `${upstream_limits.codes} codes wait already: ${advice}`);
      }
      const digest = sha256Hex(letters);
      await addCode(connection, {
        ...{ digest, organization_id, request: JSON.stringify(request), expires_at },
      });
    });
    return { code: letters.replace(/.{4}(?=.)/g, "$&-"), expires_at };
  }

  /** The token of a code, which is used up. Throws a `Fault` (forbidden) for any other. */
  async redeem(code: string): Promise<string> {
    const { database, effects, access } = this.#parts;
    const digest = sha256Hex(code.toUpperCase().replaceAll(/[\s-]/g, ""));
    // Nothing is written for a code that nobody made: the way in needs no token.
    const isThere = () => database.read((connection) => findCode(connection, digest));
    const request = await isThere() && await database.write(async ({ connection }) => {
      await dropOldCodes(connection, effects.now_us());
      const found = await findCode(connection, digest);
      await dropCode(connection, digest);
      return found;
    });
    if (!request) {
      const advice = "make another one at the centre with `wattkeeper gateway enrol`";
      throw new Fault("forbidden", `the code is unknown, used or over: ${advice}`);
    }
    return (await access.create(JSON.parse(request) as TokenRequest)).token;
  }
}

/**
 * Uses a code at a centre, and keeps the token that it gives, sealed. Throws a `Fault`: invalid for
 * what is no address, unavailable for the centre's refusal.
 */
export async function joinCentre(
  { database, effects }: {
    readonly database: Database;
    readonly effects: Pick<Effects, "request" | "sleep" | "monotonic_ms">;
  },
  { url, code }: z.output<typeof join_form>,
  { signal, store }: {
    readonly signal: AbortSignal;
    /** Stores what keeps the centre, with what goes with it, in one transaction. */
    readonly store: (keep: (connection: Connection) => Promise<void>) => Promise<void>;
  },
): Promise<Centre> {
  if (url === "none") throw new Fault("invalid", "give the centre's address");
  requireOrigin(url);
  const line = new Line({ centre: { url, token: "" }, max_kbit: 0, effects });
  const { status, text } = await line.ask({
    path: "/ingest/v1/enrol",
    body: new TextEncoder().encode(JSON.stringify({ code })),
    media_type: "application/json",
  }, signal);
  if (status === 403) throw new Fault("forbidden", detailOf(text));
  if (status !== 200) throw new Fault("unavailable", waitReason(status, detailOf(text)));
  const enrolled = enrolled_form.safeParse(jsonIn(text)).data;
  if (enrolled === undefined) throw new Fault("unavailable", strange_centre);
  const { token } = enrolled;
  const centre = { url, token };
  const upstream_token = database.vault.seal(token, secret_places.upstream(url));
  await store((connection) => keepFacts(connection, { upstream_url: url, upstream_token }));
  return centre;
}

/** The same. Throws a `Fault` where its key is missing. */
async function readCentre(connection: Connection): Promise<Centre | undefined> {
  const url = await readFact(connection, "upstream_url");
  const sealed = await readFact(connection, "upstream_token");
  if (url === undefined || sealed === undefined) return undefined;
  return { url, token: connection.vault.unseal(sealed, secret_places.upstream(url)) };
}

/** The centre that the settings name. */
export function centreIn(
  { upstream_url, upstream_token }: Pick<Settings, "upstream_url" | "upstream_token">,
): Centre | undefined {
  return upstream_url === "none" ? undefined : { url: upstream_url, token: upstream_token };
}

/** The centre that was joined, as far as its token can be opened. */
export async function joinedCentre(connection: Connection, log: Log): Promise<Centre | undefined> {
  try {
    return await readCentre(connection);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    log.warning("the centre is left: {reason}; join it again", { reason: error.message });
  }
}

/** The address of the centre that was joined last, left or not. */
export function lastCentreUrl(connection: Connection): Promise<string | undefined> {
  return readFact(connection, "upstream_url");
}

/** Forgets the centre that was joined, but for its address: what it has is known. */
export async function forgetCentre(database: Database): Promise<void> {
  await database.write(({ connection }) => keepFacts(connection, { upstream_token: null }));
}
