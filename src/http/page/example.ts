// Commands to paste for a route: curl for every one, pandas, polars and Excel for streamed rows.
import type { Param, ParamKind } from "../../model/data/param.ts";
import { paramsOf } from "../openapi/openapi.ts";
import type { Route } from "../frame/route.ts";

/** A command and the tool that it is for. */
export type Example = { readonly name: string; readonly text: string };

/** Commands that call a route of the service at `origin`. */
export function examplesOf(route: Route, origin: string): readonly Example[] {
  const address = origin + pathOf(route);
  const query = queryOf(route);
  const asked = (more: string) => address + (query + more ? `?${query}${more}` : "");
  if (route.answer.kind !== "stream") return [{ name: "curl", text: curl(route, asked("")) }];
  return [
    { name: "curl", text: curl(route, asked("&format=csv")) },
    { name: "pandas", text: python(asked(""), pandas) },
    { name: "polars", text: python(asked(""), polars) },
    {
      name: "Excel (Power Query; sign in as Basic, the token as password)",
      text: excel(asked("&format=csv")),
    },
  ];
}

const pandas = {
  library: "pyarrow",
  read: "pyarrow.ipc.open_stream(answer.content).read_pandas()",
} as const;

const polars = { library: "polars", read: "polars.read_ipc_stream(answer.content)" } as const;

function curl(route: Route, url: string): string {
  const { method, scope, headers = [], body } = route;
  const parts = [
    route.answer.kind === "events" ? "curl --fail --no-buffer" : "curl --fail",
    ...(method === "GET" ? [] : [`-X ${method}`]),
    ...(scope === null ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...headers.filter(({ required }) => required)
      .map(({ name, example }) => `-H "${name}: ${example}"`),
    ...(body ? [`-H "Content-Type: ${body.media_types[0]}" --data-binary @FILE`] : []),
    `"${url}"`,
  ];
  return parts.join(" ");
}

function python(
  url: string,
  { library, read }: { readonly library: string; readonly read: string },
): string {
  return `import os, requests, ${library}
answer = requests.get(
    "${url}",
    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},
)
answer.raise_for_status()
frame = ${read}`;
}

function excel(url: string): string {
  return `let
    Source = Csv.Document(Web.Contents("${url}"), [Encoding = 65001]),
    Rows = Table.PromoteHeaders(Source)
in
    Rows`;
}

function pathOf(route: Route): string {
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name) => name.toUpperCase());
}

/** What a request must say, and what it had better say for a first look. */
function queryOf(route: Route): string {
  return paramsOf(route)
    .filter((param) => param.in === "query" && (param.required || param.example !== undefined))
    .map((param) =>
      `${param.name}=${param.example ?? param.values?.[0] ?? stand_ins[param.kind](param)}`
    )
    .join("&");
}

const stand_ins: Record<ParamKind, (param: Param) => string> = {
  text: ({ name }) => name.replace(/s$/, "").toUpperCase(),
  instant: () => "2026-06-01T00:00:00Z",
  date: () => "2026-06-01",
  integer: ({ minimum }) => String(minimum ?? 1),
  flag: () => "true",
};
