// Tokens of programs and people: which there are; making one, whose text is shown once; revoking.
import { getJson, send } from "../frame/api.ts";
import { moment_ms } from "../frame/clock.ts";
import { useLoad } from "../frame/load.ts";
import { change, param } from "../frame/place.ts";
import { may, type Scope, zone } from "../frame/session.ts";
import { dayStart } from "../frame/zone.ts";
import { beat, carryOut } from "../parts/act.ts";
import { Asked, Choices, Field, Form } from "../parts/form.tsx";
import { Listing } from "../parts/listing.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Ago, When } from "../parts/when.tsx";
import { projectsText, Reach, reachOf, scopeChoices } from "./reach.tsx";
import { say } from "./say.ts";
import { Secret } from "./secret.tsx";
import { type User, useUsers } from "./users.tsx";
import { useSignal } from "@preact/signals";

/** Where tokens are listed and made. */
const tokens_path = "/admin/v1/tokens";

/** A token as the service lists it. */
type Token = {
  readonly token_id: string;
  readonly name: string;
  readonly project_ids: readonly string[] | null;
  readonly scopes: readonly Scope[];
  readonly user_id: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
};

/** The section. */
export function Tokens() {
  const made = useSignal<{ readonly name: string; readonly token: string } | undefined>(undefined);
  const tokens = useLoad(
    "tokens",
    async (_, signal) =>
      (await getJson<{ tokens: readonly Token[] }>(tokens_path, {}, signal)).tokens,
    { again: beat.value },
  );
  const users = useUsers();
  const userOf = (id: string | null) => users.data?.find((user) => user.id === id)?.email ?? id;
  return (
    <Panel title={say().section_tokens} aside={<a href="/docs">{say().what_tokens}</a>}>
      {made.value && (
        <Secret
          title={say().token_text(made.value.name)}
          text={made.value.token}
          help={say().token_help}
          onClose={() => made.value = undefined}
        />
      )}
      {param("open") === "new"
        ? <TokenForm users={users.data ?? []} onMade={(it) => made.value = it} />
        : (
          <p>
            <button type="button" onClick={() => change({ open: "new" })}>
              {say().make_token}…
            </button>
          </p>
        )}
      <Loaded of={tokens} isEmpty={(rows) => rows.length === 0} empty={say().no_tokens}>
        {(rows) => <TokenList rows={rows} userOf={userOf} />}
      </Loaded>
    </Panel>
  );
}

function TokenList({ rows, userOf }: {
  readonly rows: readonly Token[];
  readonly userOf: (id: string | null) => string | null;
}) {
  const is_over = ({ revoked_at, expires_at }: Token) =>
    revoked_at !== null || expires_at !== null && Date.parse(expires_at) <= moment_ms.value;
  const over = rows.filter(is_over).length;
  const with_over = param("over") !== undefined;
  return (
    <>
      {over > 0 && (
        <p>
          <button
            type="button"
            aria-pressed={with_over}
            onClick={() => change({ over: with_over ? undefined : "1" })}
          >
            {say().with_over(over)}
          </button>
        </p>
      )}
      <Listing
        label={say().section_tokens}
        columns={[
          { name: say().name },
          { name: say().scopes },
          { name: say().plants },
          { name: say().user },
          { name: say().last_used },
          { name: say().ends },
          { name: say().to_do },
        ]}
        rows={rows.filter((it) => with_over || !is_over(it)).toReversed().map((token) => ({
          key: token.token_id,
          is_quiet: is_over(token),
          cells: [
            token.name,
            token.scopes.join(", "),
            projectsText(token.project_ids),
            userOf(token.user_id) ?? say().a_program,
            token.last_used_at ? <Ago at={token.last_used_at} /> : say().never,
            token.revoked_at
              ? (
                <>
                  {say().revoked} <When at={token.revoked_at} />
                </>
              )
              : token.expires_at
              ? <When at={token.expires_at} />
              : say().never,
            !is_over(token) && may("admin") && <Revoke token={token} />,
          ],
        }))}
      />
    </>
  );
}

function Revoke({ token: { token_id, name } }: { readonly token: Token }) {
  return (
    <Asked
      button={say().revoke}
      question={say().revoke_question(name)}
      answer={say().revoke}
      onYes={() =>
        carryOut(
          () => send("DELETE", `${tokens_path}/${token_id}`),
          () => say().token_revoked(name),
        )}
    />
  );
}

/** The form; `onMade` gets the text, which nothing shows a second time. */
function TokenForm({ users, onMade }: {
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
    const made = await carryOut(
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
