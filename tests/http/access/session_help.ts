// A service with one plant and one user, and browsers that keep its cookie.
import { equal } from "node:assert/strict";
import type { Settings } from "../../../src/model/setting.ts";
import { testService } from "../../help/service.ts";

const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "Europe/Madrid" },
  site: { key: "s", name: "S", latitude: 40, longitude: -3 },
};

export const anna = { email: "Anna@plant.test", first_name: "Anna", last_name: "Ruiz" };
export const good = "correct horse battery";

const json = { "content-type": "application/json" };

/** What a browser says of a request from a page of the service itself. */
const own_page = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" };

/** What a browser is asked for, and from where. */
type Call = {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly peer?: string;
};

/** Opens the service; `scopes` are the user's. */
export async function openSessions(
  { scopes = ["read"], settings, request }: {
    readonly scopes?: readonly string[];
    readonly settings?: Partial<Settings>;
    readonly request?: (request: Request) => Promise<Response>;
  } = {},
) {
  const service = await testService({ at: "2026-06-01T12:00:00Z", settings, request });
  const admin = async (method: string, path: string, body?: unknown) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await service.fetch(path, { method, body: text, headers: json });
    return { status: response.status, data: await response.json() };
  };
  equal((await admin("PUT", "/admin/v1/sites/s", site)).status, 200);
  const made = await admin("POST", "/admin/v1/users", { ...anna, organization: "o", scopes });
  const user_id: string = made.data.id;
  const linkCode = async (id = user_id): Promise<string> => {
    const { status, data } = await admin("POST", `/admin/v1/users/${id}/link`);
    equal(status, 201);
    return data.url.split("#link=")[1];
  };
  const browser = () => new Browser(service.ask);
  /** A browser that is signed in by a link, and has the password `good` if `password` says so. */
  const signedIn = async ({ password = false } = {}) => {
    const own = browser();
    equal((await own.signIn({ link: await linkCode() })).status, 201);
    if (password) {
      const set = await own.call("PUT", "/platform/v1/session/password", {
        body: { password: good },
      });
      equal(set.status, 200);
    }
    return own;
  };
  const project_id = service.services.catalog.projects[0].id;
  return { ...service, admin, user_id, linkCode, browser, signedIn, project_id };
}

/** A browser with its cookies, on a page of the service. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #ask: (path: string, init: RequestInit, peer?: string) => Promise<Response>;

  constructor(ask: (path: string, init: RequestInit, peer?: string) => Promise<Response>) {
    this.#ask = ask;
  }

  /** Asks as a page of the service does, unless `headers` say otherwise. */
  async call(method: string, path: string, { body, headers, peer }: Call = {}) {
    const cookie = Array.from(this.cookies, ([name, value]) => `${name}=${value}`).join("; ");
    const response = await this.#ask(path, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: {
        ...(headers ?? own_page),
        ...(body === undefined ? {} : json),
        ...(cookie === "" ? {} : { cookie }),
      },
    }, peer);
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json");
    return { status: response.status, response, text, data: isJson ? JSON.parse(text) : undefined };
  }

  signIn(body: unknown, more: Omit<Call, "body"> = {}) {
    return this.call("POST", "/platform/v1/session", { body, ...more });
  }

  async status(path = "/platform/v1/session", more: Call = {}): Promise<number> {
    return (await this.call("GET", path, more)).status;
  }

  #keep(line: string): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    if (/Max-Age=0(;|$)/.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
