// Bodies that say which projects a request is for, as far as a node has to know that.
import { parse } from "smol-toml";
import { unmetered } from "../../base/budget.ts";
import { Fault } from "../../base/fault.ts";
import { access_limits } from "../../model/access/limits.ts";
import { key_form } from "../../model/data/text_form.ts";
import { query_limits } from "../../model/query/limits.ts";
import { work_limits } from "../../model/work/limits.ts";
import { type BodyBounds, brokenOff, readBounded } from "../frame/body.ts";
import { rawValues } from "../frame/input.ts";
import { gathered } from "./merge.ts";

/** A body with the names of projects. */
export type BodyForm = {
  readonly method: "POST";
  readonly path: string;
  readonly limit_bytes: number;
  /**
   * The names that it has; undefined where it means all that the token reaches. What is no body of
   * this form names nothing: the home refuses it.
   */
  readonly namesOf: (body: Sent) => readonly string[] | undefined;
};

/** A whole body, and its type. */
export type Sent = { readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string | null };

/** Every such body. */
export const body_forms: readonly BodyForm[] = [
  {
    ...{ method: "POST", path: "/platform/v1/query", limit_bytes: query_limits.body_bytes },
    namesOf: (sent) => namesOfQuestion(dataOf(sent)),
  },
  {
    ...{ method: "POST", path: "/platform/v1/links" },
    limit_bytes: access_limits.read_link_body_bytes,
    namesOf: (sent) => {
      const { read, query } = dataOf(sent);
      if (typeof read !== "string") return namesOfQuestion(Object(query));
      const at = read.indexOf("?") + 1;
      const path = at === 0 ? read : read.slice(0, at - 1);
      const asked = at === 0 ? "" : read.slice(at);
      if (Object.hasOwn(gathered, path)) {
        const why = `a link reads what one shard of the fleet has, and ${path} is of all of them`;
        throw new Fault("not_available", `${why}: ask for it with an access token`);
      }
      return ["project_id", "project_ids"].flatMap((name) => rawValues(asked, name));
    },
  },
  {
    ...{ method: "POST", path: "/integrations/v1/issues/sync" },
    limit_bytes: work_limits.sync_body_bytes,
    namesOf: (sent) => textsOf([dataOf(sent).project_id]),
  },
];

type Data = Readonly<Record<string, unknown>>;

/** A question in SQL names projects, or means all. */
function namesOfQuestion({ sql, projects }: Data): readonly string[] | undefined {
  if (typeof sql !== "string") return [];
  if (projects === undefined) return undefined;
  return textsOf(Array.isArray(projects) ? projects : []);
}

function textsOf(values: readonly unknown[]): readonly string[] {
  return values.filter((it) => typeof it === "string");
}

/** The keys in a site file; undefined where it is none. */
export function keysOf(sent: Sent) {
  const file = dataOf(sent);
  const keys = ["organization", "project", "site"].map((name) => Object(file[name]).key);
  if (!keys.every((key) => key_form.safeParse(key).success)) return undefined;
  const [organization, project, site] = keys as string[];
  return { organization, project, site };
}

/**
 * The body of a request as it was sent. Throws a `Fault` where it is longer than `limit_bytes`, or
 * does not arrive in time.
 */
export async function sentBody(
  request: Request,
  limit_bytes: number,
  effects: BodyBounds["effects"],
): Promise<Sent> {
  const parts: Uint8Array[] = [];
  if (request.body !== null) {
    const bounds = { effects, meter: unmetered, ended: request.signal };
    const pieces = readBounded(request.body, { limit_bytes, streamed: true }, bounds);
    try {
      for await (const piece of pieces) parts.push(piece);
    } catch (error) {
      throw brokenOff(error);
    }
  }
  const bytes = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
  return { bytes, type: request.headers.get("content-type") };
}

/** What a body says; nothing where it can't be read. */
function dataOf({ bytes, type }: Sent): Data {
  const text = new TextDecoder().decode(bytes);
  try {
    return Object(isToml(type) ? parse(text) : JSON.parse(text));
  } catch {
    return {};
  }
}

/** As the service tells it: what follows the type says nothing of it. */
function isToml(type: string | null): boolean {
  return type?.split(";")[0].trim().toLowerCase() === "application/toml";
}
