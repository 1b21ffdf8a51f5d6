// Files that are imported: as the service tells of them, and what it is asked to do with them.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { UnitHint } from "../../model/samples/excess.ts";
import { type ImportState, isBusy } from "../../model/samples/import.ts";
import { getJson, Problem, problemOf, send, upload } from "../frame/api.ts";
import { after } from "../frame/clock.ts";
import { type Load, useLoad } from "../frame/load.ts";
import { project } from "../frame/session.ts";

/** A value of a setting. */
type SettingValue = string | number | readonly string[];

/** How a file is to be read: settings by name, and tags by the file's names. */
export type Settings = Readonly<Record<string, SettingValue>> & {
  readonly tags?: Readonly<Record<string, string | false>>;
};

/** A setting that there is; one with choices takes nothing else. */
export type Setting = {
  readonly name: string;
  readonly kind: "text" | "list" | "count";
  readonly choices: readonly { readonly value: string; readonly example: string | null }[];
};

/** Why rows were rejected. */
export type Reason = {
  readonly reason: string;
  readonly count: number;
  readonly first: readonly { readonly line: number; readonly tag: string | null }[];
};

/** A column of values, or a tag that rows make. */
export type Column = {
  readonly name: string;
  readonly tag: string;
  readonly kind: "number" | "text" | null;
  readonly unit: string | null;
  readonly is_new: boolean;
  readonly measures: readonly string[];
};

/** A tag whose powers are beyond its rating. */
export type Excess = UnitHint & {
  readonly tag: string;
  readonly count: number;
  readonly greatest_w: number;
  readonly rated_w: number;
};

/** What was found in a file. */
export type Check = {
  readonly format: string;
  readonly rows: number;
  readonly rejected_count: number;
  readonly tags: number;
  readonly span: { readonly from: string; readonly to: string } | null;
  readonly cells: { readonly delimiter: string; readonly decimal: string } | null;
  readonly time: {
    readonly columns: readonly string[];
    readonly example: string;
    readonly timezone: string | null;
    readonly timezone_by: "setting" | "file" | "project" | null;
    readonly step_s: number;
    readonly moved: boolean;
  } | null;
  readonly keys: readonly string[];
  readonly columns: readonly Column[];
  readonly more_columns: number;
  readonly left_out: readonly { readonly name: string; readonly why: string }[];
  readonly first_rows: readonly {
    readonly line: number;
    readonly ts: string;
    readonly cells: readonly { readonly tag: string; readonly value: string | number | null }[];
    readonly more: number;
  }[];
  readonly reasons: readonly Reason[];
  readonly repeats: { readonly differing: number };
  readonly doubtful: readonly {
    readonly value: number;
    readonly count: number;
    readonly tag: string;
  }[];
  readonly excess: readonly Excess[];
  readonly proposed: Settings;
};

/** What became of a file's rows. */
export type Report = {
  readonly accepted: number;
  /** Of the accepted, those that replaced a stored value. */
  readonly corrected: number | null;
  readonly duplicates: number;
  readonly rejected_count: number;
  readonly reasons: readonly Reason[];
  readonly whole: boolean;
};

/** A refusal by its name, with values. */
export type Refusal = {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
};

/** A file at the service. */
export type ImportedFile = {
  readonly import_id: string;
  readonly name: string;
  readonly bytes: number;
  readonly arrived_bytes: number;
  readonly created_at: string;
  readonly state: ImportState;
  readonly percent: number;
  readonly settings: Settings;
  readonly detail: string | null;
  /** The same by a name, with what stands in its words; null where it has none. */
  readonly refusal: Refusal | null;
  readonly asked: readonly string[];
  readonly check: Check | null;
  readonly report: Report | null;
};

/** The files of a plant, and the settings that there are. */
export type Files = {
  readonly imports: readonly ImportedFile[];
  readonly settings: readonly Setting[];
};

const path = "/ingest/v1/imports";
const poll_ms = 500;

const query = () => ({ project_id: project.value!.id });

/** The files of the plant; asked for again while something is done, and when `again` changes. */
export function useFiles(again: unknown): Load<Files> {
  return useFollowed(
    ["imports", project.value!.id, ""],
    (_, signal) => getJson<Files>(path, query(), signal),
    { isMoving: ({ imports }) => imports.some(({ state }) => isBusy(state)), again },
  );
}

/** One file likewise. */
export function useFile(id: string, again: unknown): Load<ImportedFile> {
  return useFollowed(
    ["import", project.value!.id, id],
    ([, , id], signal) => getJson<ImportedFile>(`${path}/${id}`, query(), signal),
    { isMoving: ({ state }) => isBusy(state), again },
  );
}

type Address = readonly [what: string, project_id: string, id: string];

function useFollowed<T>(
  address: Address,
  get: (key: Address, signal: AbortSignal) => Promise<T>,
  { isMoving, again }: { readonly isMoving: (data: T) => boolean; readonly again: unknown },
): Load<T> {
  const beat = useSignal(0);
  const found = useLoad(address, get, { again: `${again} ${beat.value}` });
  const { data } = found;
  useEffect(() => {
    if (data !== undefined && isMoving(data)) return after(poll_ms, () => beat.value++);
  }, [data]);
  return found;
}

type Way = { readonly onProgress: (share: number) => void; readonly signal: AbortSignal };

/**
 * Sends a file, and has it looked through. Where the line is cut it goes on with what has not
 * arrived; so it does where the same file is chosen again later.
 */
export async function sendFile(file: File, way: Way): Promise<ImportedFile> {
  const id = await sendWhole(file, way);
  return await begin(id, "check", {});
}

/** After so many failures in a row, each after such a wait, the sender has to choose it again. */
const waits_ms = [1_000, 3_000, 10_000];

async function sendWhole(file: File, { onProgress, signal }: Way): Promise<string> {
  const { size } = file;
  const key = `import ${project.value!.id} ${size} ${file.lastModified} ${file.name}`;
  let { import_id: id, arrived_bytes: offset } = await begun(file, { key, signal });
  for (let failures = 0; offset < size;) {
    const at = offset;
    onProgress(at / size);
    try {
      const sent = await upload<ImportedFile>(`${path}/${id}`, {
        method: "PATCH",
        query: { ...query(), offset },
        file: file.slice(offset, size, "application/octet-stream"),
        onProgress: (share) => onProgress((at + share * (size - at)) / size),
        signal,
      });
      offset = sent.arrived_bytes;
    } catch (error) {
      if (signal.aborted) await forget(id, key);
      const { status } = problemOf(error);
      // Where the line was cut, more may have arrived than is known here.
      const may_go_on = !signal.aborted && (status === 0 || status === 409);
      if (!may_go_on || failures === waits_ms.length) throw error;
      await new Promise<void>((resume) => after(waits_ms[failures++], resume));
      offset = await arrivedOf(id) ?? offset;
      if (offset > at) failures = 0;
    }
  }
  localStorage.removeItem(key);
  return id;
}

/** What the service has of a file: that of the last time, else nothing yet. */
async function begun(
  { name, size }: File,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<Pick<ImportedFile, "import_id" | "arrived_bytes">> {
  const import_id = localStorage.getItem(key);
  const arrived_bytes = import_id === null ? undefined : await arrivedOf(import_id);
  if (import_id !== null && arrived_bytes !== undefined) return { import_id, arrived_bytes };
  const named = { ...query(), name: name.slice(0, 255), size };
  const body = new Blob([], { type: "application/octet-stream" });
  const made = await send<ImportedFile>("POST", path, { query: named, body, signal });
  localStorage.setItem(key, made.import_id);
  return made;
}

/** How much of a file has arrived; undefined where more was done with it, or nobody tells. */
async function arrivedOf(id: string): Promise<number | undefined> {
  try {
    const { state, arrived_bytes } = await getJson<ImportedFile>(`${path}/${id}`, query());
    return state === "sending" || state === "sent" ? arrived_bytes : undefined;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

async function forget(id: string, key: string): Promise<void> {
  localStorage.removeItem(key);
  await removeFile(id);
}

/** Has a file looked through or imported. */
export function begin(
  id: string,
  what: "check" | "import",
  settings: Settings,
): Promise<ImportedFile> {
  return send("POST", `${path}/${id}/${what}`, { query: query(), body: settings });
}

/** Ends what is done with a file. */
export function cancelWork(id: string): Promise<ImportedFile> {
  return send("POST", `${path}/${id}/cancel`, { query: query() });
}

/** Removes a file. */
export function removeFile(id: string): Promise<ImportedFile> {
  return send("DELETE", `${path}/${id}`, { query: query() });
}
