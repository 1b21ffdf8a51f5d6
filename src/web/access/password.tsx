// The own password.
import { useSignal } from "@preact/signals";
import { access_limits } from "../../model/access/limits.ts";
import { send } from "../frame/api.ts";
import { type Session, session } from "../frame/session.ts";
import { Panel } from "../parts/panel.tsx";
import { carryOut } from "../parts/act.ts";
import { Field, Form } from "../parts/form.tsx";
import { say } from "./say.ts";

/** The section. */
export function Password() {
  const is_unequal = useSignal(false);
  const needs_current = session.value?.via !== "link";
  const { password_length_min: least, password_length_max: most } = access_limits;
  const save = async (form: FormData) => {
    const [password, again] = [String(form.get("password")), String(form.get("again"))];
    is_unequal.value = password !== again;
    if (is_unequal.value) return;
    const current = needs_current ? { current: String(form.get("current")) } : {};
    const saved = await carryOut(
      () =>
        send<Session>("PUT", "/platform/v1/session/password", { body: { password, ...current } }),
      () => say().password_saved,
    );
    if (saved) session.value = saved;
  };
  return (
    <Panel title={say().section_password} aside={session.value?.user?.email}>
      <Form title={say().set_password} button={say().save} onSubmit={save}>
        <p class="quiet">{say().password_help}</p>
        {needs_current && (
          <Field name={say().password_now} help={say().password_now_help}>
            <input name="current" type="password" autocomplete="current-password" />
          </Field>
        )}
        <Field name={say().password_new} help={say().password_length(least)}>
          <input
            name="password"
            type="password"
            autocomplete="new-password"
            required
            minLength={least}
            maxLength={most}
          />
        </Field>
        <Field name={say().password_again}>
          <input name="again" type="password" autocomplete="new-password" required />
        </Field>
        {is_unequal.value && <p class="refused" role="alert">{say().password_unequal}</p>}
      </Form>
    </Panel>
  );
}
