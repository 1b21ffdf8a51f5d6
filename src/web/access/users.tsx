// Users: who there is, with which scopes and projects; making, changing and disabling them.
import { getJson, send } from "../frame/api.ts";
import { useLoad } from "../frame/load.ts";
import { change, param } from "../frame/place.ts";
import { may, type Scope, session } from "../frame/session.ts";
import { beat, carryOut, is_busy } from "../parts/act.ts";
import { Asked, Choices, Field, Form } from "../parts/form.tsx";
import { Listing } from "../parts/listing.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { When } from "../parts/when.tsx";
import { projectsText, Reach, reachOf, scopeChoices } from "./reach.tsx";
import { say } from "./say.ts";
import { Secret } from "./secret.tsx";
import { useSignal } from "@preact/signals";

/** Where users are listed and made. */
const users_path = "/admin/v1/users";

/** A user as the service lists it. */
export type User = {
  readonly id: string;
  readonly organization_id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly disabled_at: string | null;
  readonly scopes: readonly Scope[];
  readonly project_ids: readonly string[] | null;
};

type SignInLink = { readonly url: string; readonly expires_at: string };

/** The users that the reader reaches, where they may be known. */
export function useUsers() {
  return useLoad(
    may("manage") ? "users" : undefined,
    async (_, signal) => (await getJson<{ users: readonly User[] }>(users_path, {}, signal)).users,
    { again: beat.value },
  );
}

/** The section. */
export function Users() {
  const users = useUsers();
  const link = useSignal<(SignInLink & { readonly name: string }) | undefined>(undefined);
  const changed = users.data?.find(({ id }) => id === param("open"));
  return (
    <Panel title={say().section_users} aside={<a href="/docs/signin">{say().what_signin}</a>}>
      {link.value && (
        <Secret
          title={say().link_for(link.value.name)}
          text={link.value.url}
          help={
            <>
              {say().link_help} <When at={link.value.expires_at} />
            </>
          }
          onClose={() => link.value = undefined}
        />
      )}
      {param("open") === undefined
        ? (
          <p>
            <button type="button" onClick={() => change({ open: "new" })}>
              {say().make_user}…
            </button>
          </p>
        )
        : (param("open") === "new" || changed) && <UserForm key={param("open")} user={changed} />}
      <Loaded of={users} isEmpty={(rows) => rows.length === 0} empty={say().no_users}>
        {(rows) => (
          <Listing
            label={say().section_users}
            columns={[
              { name: say().name },
              { name: say().scopes },
              { name: say().plants },
              { name: say().state },
              { name: say().to_do },
            ]}
            rows={rows.toSorted(byName).map((user) => ({
              key: user.id,
              is_quiet: user.disabled_at !== null,
              cells: cellsOf(user, (made) => link.value = { ...made, name: nameOf(user) }),
            }))}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function cellsOf(user: User, onLink: (made: SignInLink) => void) {
  const { id, email, scopes, project_ids, disabled_at } = user;
  return [
    <>
      {nameOf(user)}
      <small class="quiet">
        <br />
        {email}
      </small>
    </>,
    scopes.join(", ") || say().no_scopes,
    projectsText(project_ids),
    disabled_at === null ? say().active : (
      <>
        {say().disabled} <When at={disabled_at} />
      </>
    ),
    <span class="row">
      <button type="button" onClick={() => change({ open: id })}>{say().change}…</button>
      {disabled_at === null && scopes.length > 0 && may("admin") && (
        <MakeLink user={user} onLink={onLink} />
      )}
      {disabled_at === null && id !== session.value?.user?.id && <Disable user={user} />}
    </span>,
  ];
}

function MakeLink({ user, onLink }: {
  readonly user: User;
  readonly onLink: (made: SignInLink) => void;
}) {
  const make = async () => {
    const made = await carryOut(
      () => send<SignInLink>("POST", `${users_path}/${user.id}/link`),
      () => say().link_made(nameOf(user)),
    );
    if (made) onLink(made);
  };
  return (
    <button type="button" disabled={is_busy.value} onClick={() => void make()}>
      {say().make_link}
    </button>
  );
}

function Disable({ user }: { readonly user: User }) {
  const name = nameOf(user);
  return (
    <Asked
      button={say().disable}
      question={say().disable_question(name)}
      answer={say().disable}
      onYes={() =>
        carryOut(() => send("DELETE", `${users_path}/${user.id}`), () => say().user_disabled(name))}
    />
  );
}

function nameOf({ first_name, last_name }: User): string {
  return `${first_name} ${last_name}`;
}

/** Those who can act come first. */
function byName(a: User, b: User): number {
  return Number(a.disabled_at !== null) - Number(b.disabled_at !== null) ||
    a.last_name.localeCompare(b.last_name) || a.first_name.localeCompare(b.first_name);
}

type Organizations = {
  readonly organizations: readonly { readonly organization_id: string; readonly name: string }[];
};

/** The form of a user; of a new one without `user`. */
function UserForm({ user }: { readonly user?: User }) {
  const close = () => change({ open: undefined });
  const save = async (form: FormData) => {
    const text = (name: string) => String(form.get(name)).trim();
    const body = {
      email: text("email"),
      first_name: text("first_name"),
      last_name: text("last_name"),
      scopes: form.getAll("scopes").map(String),
      ...reachOf(form),
      ...(user
        ? { disabled: form.has("disabled") }
        : form.has("organization")
        ? { organization: text("organization") }
        : {}),
    };
    const name = `${body.first_name} ${body.last_name}`;
    const saved = await carryOut(
      () =>
        user
          ? send("PUT", `${users_path}/${user.id}`, { body })
          : send("POST", users_path, { body }),
      () => user ? say().user_changed(name) : say().user_made(name),
    );
    if (saved) close();
  };
  return (
    <Form
      title={user ? say().change_user : say().make_user}
      button={user ? say().save : say().make}
      onSubmit={save}
      onClose={close}
    >
      <Field name={say().first_name}>
        <input name="first_name" required autocomplete="off" defaultValue={user?.first_name} />
      </Field>
      <Field name={say().last_name}>
        <input name="last_name" required autocomplete="off" defaultValue={user?.last_name} />
      </Field>
      <Field name={say().email}>
        <input name="email" type="email" required autocomplete="off" defaultValue={user?.email} />
      </Field>
      {!user && <Organization />}
      <Choices
        title={say().scopes}
        name="scopes"
        choices={scopeChoices(may)}
        chosen={user?.scopes ?? ["read"]}
        help={say().user_scopes_help}
      />
      <Reach project_ids={user?.project_ids ?? null} />
      {user && (
        <label class="choice">
          <input type="checkbox" name="disabled" defaultChecked={user.disabled_at !== null} />
          {say().is_disabled}
        </label>
      )}
    </Form>
  );
}

/** The choice of an organization, for those who reach several or all. */
function Organization() {
  const { data } = useLoad(
    may("admin") ? "organizations" : undefined,
    (_, signal) => getJson<Organizations>("/admin/v1/organizations", {}, signal),
  );
  if (!data) return null;
  return (
    <Field name={say().organization}>
      <select name="organization" required>
        {data.organizations.map(({ organization_id, name }) => (
          <option key={organization_id} value={organization_id}>{name}</option>
        ))}
      </select>
    </Field>
  );
}
