// With whose rights requests are tried: who is signed in at this browser, or a token.
import { signal } from "@preact/signals";
import { getJson } from "../frame/api.ts";

/** A token that was pasted; kept by this page alone, and gone with it. */
export const token = signal("");

/** The name of who is signed in; undefined for nobody. */
export const signed_in = signal<string | undefined>(undefined);

getJson<{ readonly name: string } | null>("/platform/v1/session", { optional: true })
  .then((session) => signed_in.value = session?.name, () => {});
