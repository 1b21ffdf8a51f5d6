// Small pieces that every page uses: links between pages, messages, a component by value, and what
// a button opens above the page.
import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useId } from "preact/hooks";
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

/**
 * A button, and what it opens, which is made anew each time; Escape, its own button or a click
 * elsewhere closes it.
 */
export function Popover({ button, class: name, children }: {
  readonly button: string;
  readonly class: string;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  const is_open = useSignal(false);
  return (
    <>
      <button type="button" popovertarget={id}>{button}</button>
      <div
        id={id}
        popover="auto"
        class={`popover ${name}`}
        role="dialog"
        aria-label={button}
        onToggle={({ newState }) => is_open.value = newState === "open"}
        // The page's own keys are not meant here.
        onKeyDown={(event) => event.stopPropagation()}
      >
        {is_open.value && children}
        <button type="button" class="close" popovertarget={id} popovertargetaction="hide">
          {say().close}
        </button>
      </div>
    </>
  );
}
