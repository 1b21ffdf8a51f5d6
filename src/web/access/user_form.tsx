// The form of a user, new or changed.
import { change } from "../frame/place.ts";
import { getJson, send } from "../frame/api.ts";
import { useLoad } from "../frame/load.ts";
import { may } from "../frame/session.ts";
import { act } from "../parts/act.ts";
import { Choices, Field, Form } from "../parts/form.tsx";
import { Reach, reachOf, scopeChoices } from "./reach.tsx";
import { say } from "./say.ts";
import { type User, users_path } from "./users.tsx";

type Organizations = {
  readonly organizations: readonly { readonly organization_id: string; readonly name: string }[];
};

/** The form of a user; of a new one without `user`. */
export function UserForm({ user }: { readonly user?: User }) {
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
    const saved = await act(
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
