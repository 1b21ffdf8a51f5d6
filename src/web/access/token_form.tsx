// The form of a new token.
import { change } from "../frame/place.ts";
import { send } from "../frame/api.ts";
import { may, zone } from "../frame/session.ts";
import { dayStart } from "../frame/zone.ts";
import { act } from "../parts/act.ts";
import { Choices, Field, Form } from "../parts/form.tsx";
import { Reach, reachOf, scopeChoices } from "./reach.tsx";
import { say } from "./say.ts";
import { tokens_path } from "./tokens.tsx";
import type { User } from "./users.tsx";

/** The form; `onMade` gets the text, which nothing shows a second time. */
export function TokenForm({ users, onMade }: {
  readonly users: readonly User[];
  readonly onMade: (made: { readonly name: string; readonly token: string }) => void;
}) {
  const close = () => change({ open: undefined });
  const make = async (form: FormData) => {
    const [name, user, ends] = ["name", "user", "ends"].map((it) => String(form.get(it)).trim());
    const body = {
      name,
      scopes: form.getAll("scopes").map(String),
      ...reachOf(form),
      ...(user ? { user } : {}),
      ...(ends ? { expires_at: new Date(dayStart(ends, zone.value)).toISOString() } : {}),
    };
    const made = await act(
      () => send<{ readonly token: string }>("POST", tokens_path, { body }),
      () => say().token_made(name),
    );
    if (!made) return;
    onMade({ name, token: made.token });
    close();
  };
  return (
    <Form title={say().make_token} button={say().make} onSubmit={make} onClose={close}>
      <Field name={say().token_name} help={say().token_name_help}>
        <input name="name" required autocomplete="off" />
      </Field>
      <Choices
        title={say().scopes}
        name="scopes"
        choices={scopeChoices(may)}
        chosen={["read"]}
      />
      <Reach project_ids={null} />
      <Field name={say().user} help={say().token_user_help}>
        <select name="user">
          <option value="">{say().a_program}</option>
          {users.filter(({ disabled_at }) => disabled_at === null).map(({ id, email }) => (
            <option key={id} value={id}>{email}</option>
          ))}
        </select>
      </Field>
      <Field name={say().ends_on} help={say().ends_help}>
        <input name="ends" type="date" />
      </Field>
    </Form>
  );
}
