// Small pieces that every page uses: links between pages, messages, and a component by value.
import type { ComponentChildren, ComponentType } from "preact";
import { addressOf, type PageName, type PlaceParams } from "../frame/place.ts";
import { say } from "../frame/say.ts";

/** A link to a page of these screens; it opens without loading everything anew. */
export function Link({ page, params, children, ...rest }: {
  readonly page: PageName;
  readonly params?: PlaceParams;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly title?: string;
  readonly "aria-current"?: "page";
}) {
  return <a data-place href={addressOf(page, params)} {...rest}>{children}</a>;
}

/** What there is to say where there is nothing to show. */
export function Message({ children }: { readonly children: ComponentChildren }) {
  return <div class="message" role="status">{children}</div>;
}

/** A page that is loaded, or that it is being loaded. */
export function Shown({ of: Page }: { readonly of: ComponentType | undefined }) {
  return Page ? <Page /> : <Message>{say().loading}</Message>;
}
