// Browsers that are signed in: one's own, and for an administrator everybody's.
import { getJson, send } from "../frame/api.ts";
import { useLoad } from "../frame/load.ts";
import { no_number } from "../frame/number.ts";
import { may, type Session, signOut } from "../frame/session.ts";
import { Loaded, Panel } from "../parts/panel.tsx";
import { beat, carryOut } from "../parts/act.ts";
import { Asked } from "../parts/form.tsx";
import { Listing } from "../parts/listing.tsx";
import { say } from "./say.ts";
import { Ago, When } from "../parts/when.tsx";

const refresh_ms = 30_000;

/** A session as the service lists it. */
type SessionInfo = Pick<Session, "user" | "name" | "via" | "expires_at"> & {
  readonly id: string;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly address: string | null;
  /** Whether it is this browser's. */
  readonly own: boolean;
};

/** The section. */
export function Sessions() {
  const path = may("admin") ? "/admin/v1/sessions" : "/platform/v1/sessions";
  const sessions = useLoad(
    path,
    async (path, signal) =>
      (await getJson<{ sessions: readonly SessionInfo[] }>(path, {}, signal)).sessions,
    { refresh_ms, again: beat.value },
  );
  return (
    <Panel
      title={may("admin") ? say().section_sessions : say().own_sessions}
      aside={<a href="/docs/signin">{say().what_signin}</a>}
    >
      <Loaded of={sessions} isEmpty={(rows) => rows.length === 0} empty={say().no_sessions}>
        {(rows) => (
          <Listing
            label={say().section_sessions}
            columns={[
              { name: say().name },
              { name: say().via },
              { name: say().address },
              { name: say().started },
              { name: say().last_used },
              { name: say().ends },
              { name: say().to_do },
            ]}
            rows={rows.toSorted((a, b) => b.last_used_at.localeCompare(a.last_used_at))
              .map((row) => ({ key: row.id, cells: cellsOf(row, path) }))}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function cellsOf(row: SessionInfo, path: string) {
  const { user, name, own } = row;
  return [
    <>
      {name} {own && <b>({say().this_browser})</b>}
      {user && (
        <small class="quiet">
          <br />
          {user.email}
        </small>
      )}
    </>,
    say()[`via_${row.via}`],
    row.address ?? no_number,
    <When at={row.created_at} />,
    <Ago at={row.last_used_at} />,
    <When at={row.expires_at} />,
    <Asked
      button={say().end}
      question={own ? say().end_own_question : say().end_question(name)}
      answer={say().end}
      onYes={() =>
        own ? signOut() : carryOut(() => end(path, row), () => say().session_ended(name))}
    />,
  ];
}

function end(path: string, { id }: SessionInfo): Promise<unknown> {
  return send("DELETE", `${path}/${id}`);
}
