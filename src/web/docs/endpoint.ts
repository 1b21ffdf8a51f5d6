// An endpoint as its section of the page tells it, and the request that fields make of it.

/** A parameter: where it goes, what stands in its field first, and the values that it may have. */
export type Field = {
  readonly name: string;
  readonly in: string;
  readonly example: string;
  readonly values: readonly string[];
};

/** What can be asked. */
export type Endpoint = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly fields: readonly Field[];
  /** The type of its body; undefined where it takes none. */
  readonly media_type: string | undefined;
};

/** The endpoint of a section; undefined of one that is not there yet, or never ends. */
export function endpointOf(section: HTMLElement): Endpoint | undefined {
  const { method = "", path = "", kind, body } = section.dataset;
  if (kind === "planned" || kind === "events") return undefined;
  const rows = [...section.querySelectorAll<HTMLElement>("tr[data-param]")];
  return {
    id: section.id,
    method,
    path,
    fields: rows.map((row) => ({
      name: row.dataset.param!,
      in: row.dataset.in!,
      example: row.dataset.param === "format" ? "json" : row.dataset.example ?? "",
      values: [...row.querySelectorAll(".values code")].map((it) => it.textContent ?? ""),
    })),
    media_type: body === "" ? undefined : body,
  };
}

/** What stands in a field first: of an example that is a time, one of the last week. */
export function firstOf({ name, example }: Field, now_ms: number): string {
  const time = /^\d{4}-\d\d-\d\d(T.*)?$/.exec(example);
  if (time === null) return example;
  const days_back = /start|from|since/.test(name) ? 7 : 0;
  const text = new Date(now_ms - days_back * 86_400_000).toISOString();
  return time[1] === undefined ? text.slice(0, 10) : `${text.slice(0, 19)}Z`;
}

/** The address of a request: several values of a parameter stand in lines of their own. */
export function addressOf(
  { path, fields }: Pick<Endpoint, "path" | "fields">,
  values: Readonly<Record<string, string>>,
): string {
  const said = fields.map((field) => ({ ...field, lines: linesOf(values[field.name] ?? "") }));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const found = said.find((field) => field.in === "path" && field.name === name);
    return encodeURIComponent(found?.lines[0] ?? "");
  });
  const query = new URLSearchParams(
    said.filter((field) => field.in === "query")
      .flatMap(({ name, lines }) => lines.map((line) => [name, line])),
  );
  return query.size === 0 ? filled : `${filled}?${query}`;
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}
