// Saved views of a page: everybody opens them; who may, saves, changes and removes them.
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { view_limits } from "../../model/views/limits.ts";
import { getJson, send } from "../frame/api.ts";
import { at_ms, moment_ms } from "../frame/clock.ts";
import { mapped, useLoad } from "../frame/load.ts";
import { personName } from "../frame/people.ts";
import { addressOf, type PageName, place } from "../frame/place.ts";
import { may, project } from "../frame/session.ts";
import { beat, carryOut, last_outcome } from "../parts/act.ts";
import { Copy } from "../parts/export.tsx";
import { Asked, Field, Form, Outcome } from "../parts/form.tsx";
import { Popover } from "../parts/message.tsx";
import { Loaded } from "../parts/panel.tsx";
import { When } from "../parts/when.tsx";
import { say } from "./say.ts";

/** A view as the service keeps it. */
type View = {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly created_by: string | null;
  readonly updated_at: string;
  readonly version: number;
};

const path = "/platform/v1/views";

/** A button that opens the saved views of a page. */
export function Views({ page }: { readonly page: PageName }) {
  return (
    <Popover button={say().title} class="views">
      <List page={page} />
    </Popover>
  );
}

function List({ page }: { readonly page: PageName }) {
  const is_past = at_ms.value !== undefined;
  const may_save = may("operate") && !is_past;
  const views = useLoad(
    [project.value!.id, page],
    ([project_id, page], signal) => getJson<readonly View[]>(path, { project_id, page }, signal),
    { again: beat.value },
  );
  useLayoutEffect(() => {
    last_outcome.value = undefined;
  }, []);
  return (
    <>
      <h3 tabIndex={-1}>{say().saved}</h3>
      {is_past && <p class="quiet">{say().past}</p>}
      <Loaded
        of={mapped(views, (all) => all.filter((it) => isKnown(it)))}
        isEmpty={(all) => all.length === 0}
        empty={say().none}
      >
        {(all) => (
          <ul>
            {all.map((view) => <Row key={view.id} {...{ view, page, may_save }} />)}
          </ul>
        )}
      </Loaded>
      <Outcome />
      {may_save && <SaveForm page={page} />}
      <p class="row">{place.value && <Copy text={location.href} name={say().copy_address} />}</p>
    </>
  );
}

/** Whether a view was as it is at the moment that is shown. */
function isKnown({ updated_at }: View): boolean {
  return at_ms.value === undefined || Date.parse(updated_at) <= moment_ms.value;
}

function Row({ view, page, may_save }: {
  readonly view: View;
  readonly page: PageName;
  readonly may_save: boolean;
}) {
  const is_changing = useSignal(false);
  const item = useRef<HTMLLIElement>(null);
  const changer = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (is_changing.value) item.current!.scrollIntoView({ block: "nearest" });
  }, [is_changing.value]);
  const { name, address, created_by, updated_at } = view;
  const is_shown = sorted(address) === sorted(shownAddress(page));
  const author = personName(created_by);
  return (
    <li ref={item} onKeyDown={keepOpen}>
      <p>
        <a
          data-place
          href={addressOf(page, Object.fromEntries(new URLSearchParams(address)))}
          aria-current={is_shown ? "true" : undefined}
          onClick={({ currentTarget }) => popoverOf(currentTarget)?.hidePopover()}
        >
          {name}
        </a>{" "}
        <small class="quiet">
          {is_shown && `${say().shown} · `}
          <When at={updated_at} /> {author && say().by(author)}
        </small>
      </p>
      {may_save && (
        <div class="row">
          <button
            type="button"
            ref={changer}
            aria-label={say().change_of(name)}
            aria-expanded={is_changing.value}
            onClick={() => is_changing.value = !is_changing.value}
          >
            {say().change}
          </button>
          <Remove view={view} />
        </div>
      )}
      {may_save && is_changing.value && (
        <ChangeForm
          {...{ view, page }}
          onClose={() => {
            is_changing.value = false;
            changer.current!.focus();
          }}
        />
      )}
    </li>
  );
}

function Remove({ view: { id, name, version } }: { readonly view: View }) {
  const place = useRef<HTMLSpanElement>(null);
  const remove = async () => {
    const heading = popoverOf(place.current!)?.querySelector("h3");
    if (await change("DELETE", `${path}/${id}`, { version, done: say().was_removed(name) })) {
      heading?.focus();
    }
  };
  return (
    <span ref={place}>
      <Asked
        button={say().remove}
        question={say().remove_of(name)}
        answer={say().remove}
        onYes={remove}
      />
    </span>
  );
}

function ChangeForm({ view: { id, name, version }, page, onClose }: {
  readonly view: View;
  readonly page: PageName;
  readonly onClose: () => void;
}) {
  const submit = async (form: FormData) => {
    const name = nameIn(form);
    const body = { name, ...(form.has("replace") ? { address: shownAddress(page) } : {}) };
    const done = say().was_saved(name);
    if (await change("PATCH", `${path}/${id}`, { version, body, done })) onClose();
  };
  return (
    <Form
      title={say().change_of(name)}
      button={say().save}
      onSubmit={submit}
      onClose={onClose}
    >
      <NameField value={name} />
      <label class="choice">
        <input type="checkbox" name="replace" />
        {say().replace}
      </label>
    </Form>
  );
}

function SaveForm({ page }: { readonly page: PageName }) {
  const saved = useSignal(0);
  const submit = async (form: FormData) => {
    const name = nameIn(form);
    const body = { page, name, address: shownAddress(page) };
    if (await change("POST", path, { body, done: say().was_saved(name) })) saved.value++;
  };
  return (
    <Form key={saved.value} title={say().save_shown} button={say().save} onSubmit={submit}>
      <NameField help={say().span} />
    </Form>
  );
}

function NameField({ value, help }: { readonly value?: string; readonly help?: string }) {
  return (
    <Field name={say().name} help={help}>
      <input name="name" defaultValue={value} maxLength={view_limits.name_length} required />
    </Field>
  );
}

/** Sends a change and tells of it. Whether it was made; if not, the list is read again. */
async function change(method: "POST" | "PATCH" | "DELETE", path: string, { body, version, done }: {
  readonly body?: object;
  readonly version?: number;
  readonly done: string;
}): Promise<boolean> {
  const query = { project_id: project.peek()!.id };
  const if_match = version === undefined ? undefined : `"${version}"`;
  const work = () => send<View>(method, path, { query, body, if_match });
  const view = await carryOut(work, () => done);
  if (view === undefined) beat.value++;
  return view !== undefined;
}

function nameIn(form: FormData): string {
  return String(form.get("name")).trim();
}

/** What is shown of a page, as its address has it; the plant and a moment are no part of a view. */
function shownAddress(page: PageName): string {
  const params = { ...place.value.params, project: undefined, at: undefined };
  return addressOf(page, params).split("?")[1] ?? "";
}

/** An address whatever the order in which it was made. */
function sorted(address: string): string {
  const params = new URLSearchParams(address);
  params.sort();
  return String(params);
}

/** Escape in a form or a question closes that alone. */
function keepOpen(event: KeyboardEvent): void {
  if (event.key !== "Escape" || !(event.target instanceof Element)) return;
  if (event.target.closest(".form, .asked")) event.preventDefault();
}

function popoverOf(element: Element): HTMLElement | null {
  return element.closest<HTMLElement>("[popover]");
}
