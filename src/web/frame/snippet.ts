// Programs that fetch a view's rows, to be pasted elsewhere. They take the token from the
// environment: it is never in their text.
import { type Query, requestAddress } from "./api.ts";

/** The environment variable that holds the token. */
export const token_variable = "WATTKEEPER_TOKEN";

/** Formats that a view's rows are saved in, each with what its file's name ends in. */
export const file_formats = {
  csv: "csv",
  parquet: "parquet",
  arrow: "arrows",
  json: "json",
} as const;
export type FileFormat = keyof typeof file_formats;

/** A view's rows: where they come from, and what a file of them is called. */
export type View = { readonly path: string; readonly query: Query; readonly name: string };

/** Makes the text of a program; `origin` is where the service is. */
type Snippet = (view: View, origin: string) => string;

/** The programs by the tool that they are for. */
export const snippets = {
  pandas: (view, origin) =>
    `import os

import pandas as pd

rows = pd.read_parquet(
    ${pythonText(origin + fileAddress(view, "parquet"))},
    storage_options={"Authorization": f"Bearer {os.environ['${token_variable}']}"},
)
`,
  polars: (view, origin) =>
    `import io
import os
from urllib.request import Request, urlopen

import polars as pl

request = Request(
    ${pythonText(origin + fileAddress(view, "parquet"))},
    headers={"Authorization": f"Bearer {os.environ['${token_variable}']}"},
)
with urlopen(request) as answer:
    rows = pl.read_parquet(io.BytesIO(answer.read()))
`,
  curl: (view, origin) =>
    `curl --fail --header "Authorization: Bearer $${token_variable}" \\
  --output ${shellText(fileName(view, "csv"))} \\
  ${shellText(origin + fileAddress(view, "csv"))}
`,
} as const satisfies Record<string, Snippet>;
export type Tool = keyof typeof snippets;

/** The address of a view's rows as a file, relative to the service. */
export function fileAddress({ path, query }: View, format: FileFormat): string {
  return requestAddress(path, { ...query, format });
}

/** What a view's file is called; only what every file system takes. */
export function fileName({ name }: Pick<View, "name">, format: FileFormat): string {
  const plain = name.normalize("NFKD").replaceAll(/[^\w.-]+/g, "-").replaceAll(/^[-.]+|-+$/g, "");
  return `${plain || "rows"}.${file_formats[format]}`;
}

/** A text as Python writes it. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}

/** A text as one word of a POSIX shell. */
function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
