// A saved view: a page of the screens as its address has it, under a name, for all of a project.
import * as z from "zod";
import { type Fault, type Flaw, refusal } from "../../base/fault.ts";
import { parseForm } from "../data/parse_form.ts";
import { oneOf, type PlainRow } from "../data/row.ts";
import { textUpTo } from "../data/text_form.ts";
import { view_limits } from "./limits.ts";

/** The pages of the screens. */
export const view_pages = [
  ...["portfolio", "overview", "inverters", "alarms", "work", "trends", "losses", "rules"] as const,
  ...["health", "report"] as const,
] as const;

/** A saved view as it is kept. */
export const saved_view_table = {
  id: "text",
  project_no: "int32",
  page: oneOf(view_pages),
  /** No other view of the project and page has it. */
  name: "text",
  /** The query of the page's address, without what names the project. */
  address: "text",
  /** Id of the user who saved it first; null: a machine's token. */
  created_by: "text?",
  created_at: "instant",
  updated_at: "instant",
  /** Counts its changes, from 1. */
  version: "int32",
} as const;

/** A saved view; instants are microseconds since 1970 UTC. */
export type SavedView = PlainRow<typeof saved_view_table>;

/** In its composed form, and without what is not seen: no two names that differ look the same. */
const name_form = textUpTo(view_limits.name_length).normalize("NFC")
  .refine((text) => text.trim() === text, { error: "give a name without blanks at its ends" })
  .refine((text) => !/\p{Cf}|(?! )\p{Z}/u.test(text), {
    error: "give a name without invisible characters and other blanks than spaces",
  })
  .describe("Its name, unique for the page.");

const address_form = z.string().max(view_limits.address_length)
  .superRefine((text, context) => {
    const message = addressFlaw(text);
    if (message !== undefined) context.addIssue({ code: "custom", message, input: text });
  })
  .describe(
    "The query of the page's address without its ?: key=value&key=value, percent-encoded as a " +
      "browser does it. Empty: the page as it opens by itself.",
  );

/** The form of a new view. */
export const saved_view_form = z.strictObject({
  page: z.enum(view_pages).describe("Page of the screens."),
  name: name_form,
  address: address_form,
}).meta({
  examples: [{ page: "trends", name: "Power, last day", address: "curves=INV-01:active_power" }],
});

/** The form of a changed view: what is left out stays. */
export const saved_view_change_form = z.strictObject({
  name: name_form.optional(),
  address: address_form.optional(),
});

/** A new view in plain data. Throws a `Fault` (invalid) with every flaw. */
export function parseSavedView(data: unknown): z.output<typeof saved_view_form> {
  return parseForm(saved_view_form, data, { refuse });
}

/** A view's change in plain data, likewise. */
export function parseSavedViewChange(data: unknown): z.output<typeof saved_view_change_form> {
  return parseForm(saved_view_change_form, data, { refuse });
}

/** A parameter of an address, its value as a browser's `URLSearchParams` and the screens print. */
const parameter = "[A-Za-z]\\w*=(?:[\\w.*~+:,-]|%[0-9A-Fa-f]{2})*";
const query = new RegExp(`^(?:${parameter}(?:&${parameter})*)?$`);

/** What is wrong with the query of an address: it must be nothing but that. */
function addressFlaw(text: string): string | undefined {
  if (!query.test(text) || !isPlain(text)) return "give only key=value&key=value, percent-encoded";
  const keys = [...new URLSearchParams(text).keys()];
  if (keys.includes("project")) return "leave project out: the view is of its project";
  return new Set(keys).size < keys.length ? "give each key once" : undefined;
}

/** Whether it is UTF-8 without control characters. */
function isPlain(text: string): boolean {
  try {
    return !/\p{Cc}/u.test(decodeURIComponent(text));
  } catch {
    return false;
  }
}

function refuse(flaws: readonly Flaw[]): Fault {
  return refusal("the view is wrong", flaws);
}
