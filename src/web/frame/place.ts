// Where the reader is: page and parameters, as the address says them. Everything a page shows
// follows from it, so that a copied address opens the same view.
import { computed, signal } from "@preact/signals";
import type { frame_en } from "../words/en/frame.ts";

/** What the pages are called in addresses: each has a word `page_NAME` for its title. */
export type PageName = keyof {
  [K in keyof typeof frame_en as K extends `page_${infer Name}` ? Name : never]: never;
};

/** The page that opens where the address names none. */
export const first_page: PageName = "overview";

/** A page's parameters, by name; an absent one has its default. */
export type PlaceParams = Readonly<Record<string, string | undefined>>;

/** A page and its parameters. */
type Place = { readonly page: string; readonly params: PlaceParams };

export const place = signal<Place>(placeOf(globalThis.location));

/** The page that is shown. */
export const page_name = computed(() => place.value.page);

/** The value of a parameter; undefined where the address does not say it. */
export function param(name: string): string | undefined {
  return place.value.params[name];
}

/** Parameters that go along from page to page: the plant, and the moment that is looked at. */
const lasting = ["project", "at"];

/** The address of a page; what is lasting goes along unless `params` says otherwise. */
export function addressOf(page: string, params: PlaceParams = {}): string {
  const kept = Object.fromEntries(lasting.map((name) => [name, param(name)]));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...kept, ...params })) {
    if (value !== undefined && value !== "") query.set(name, value);
  }
  const text = query.toString().replaceAll("%3A", ":").replaceAll("%2C", ",");
  return `/${page}${text && `?${text}`}`;
}

/** Opens a page; the way back leads here. */
export function open(page: string, params: PlaceParams = {}): void {
  history.pushState(null, "", addressOf(page, params));
  place.value = placeOf(location);
  scrollTo(0, 0);
}

/** Changes parameters of this page, without a step back for each; undefined removes one. */
export function change(params: PlaceParams): void {
  const { page, params: now } = place.value;
  history.replaceState(null, "", addressOf(page, { ...now, ...params }));
  place.value = placeOf(location);
}

/** Lets links of this place and the browser's buttons change the page without loading it anew. */
export function followAddress(): void {
  addEventListener("popstate", () => place.value = placeOf(location));
  document.addEventListener("click", (event) => {
    const isPlain = event.button === 0 &&
      !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!isPlain || event.defaultPrevented || !link?.matches("a[data-place]")) return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    place.value = placeOf(location);
    scrollTo(0, 0);
  });
}

function placeOf({ pathname, search }: Pick<Location, "pathname" | "search">): Place {
  const params = Object.fromEntries(new URLSearchParams(search));
  return { page: pathname.slice(1) || first_page, params };
}
