// Who gets webhooks: each with its state, and the ways to pause, resume, test and remove it.
import { getJson, send } from "../frame/api.ts";
import { type Load, useLoad } from "../frame/load.ts";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { beat, carryOut, is_busy } from "../parts/act.ts";
import { Asked } from "../parts/form.tsx";
import { Listing } from "../parts/listing.tsx";
import { say } from "./say.ts";

const path = "/admin/v1/subscriptions";
const refresh_ms = 30_000;

/** A receiver of webhooks. */
type Subscription = {
  readonly id: string;
  readonly name: string;
  readonly target: string;
  readonly event_types: readonly string[];
  readonly state: "enabled" | "paused" | "disabled";
  readonly reason: string | null;
};

/** The subscriptions that the reader reaches. */
export function useSubscriptions(): Load<readonly Subscription[]> {
  return useLoad(
    "subscriptions",
    async (_, signal) =>
      (await getJson<{ subscriptions: readonly Subscription[] }>(path, {}, signal)).subscriptions,
    { refresh_ms, again: beat.value },
  );
}

/** The list of them. */
export function Subscriptions({ of }: { readonly of: Load<readonly Subscription[]> }) {
  return (
    <Panel title={say().subscriptions} aside={<a href="/docs/webhooks">{say().what_webhooks}</a>}>
      <Loaded
        of={of}
        isEmpty={(rows) =>
          rows.length === 0}
        empty={
          <>
            {say().no_subscriptions} <a href="/docs#subscription_post">{say().how_to_subscribe}</a>
          </>
        }
      >
        {(rows) => (
          <Listing
            label={say().subscriptions}
            columns={[
              { name: say().receiver },
              { name: say().state },
              { name: say().events },
              { name: say().to_do },
            ]}
            rows={rows.map((row) => ({ key: row.id, cells: cellsOf(row) }))}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function cellsOf(row: Subscription) {
  const { id, name, target, event_types, state, reason } = row;
  return [
    <>
      <Link page="health" params={{ section: "deliveries", subscription: id }}>{name}</Link>
      <small class="quiet">
        <br />
        {target}
      </small>
    </>,
    <>
      <span class={`badge ${state}`}>{say()[`subscription_${state}`]}</span>
      {reason && (
        <small>
          <br />
          {reason}
        </small>
      )}
    </>,
    event_types.join(", "),
    <Ways of={row} />,
  ];
}

function Ways({ of: { id, name, state } }: { readonly of: Subscription }) {
  const post = (what: "pause" | "resume" | "test") =>
    carryOut(() => send("POST", `${path}/${id}/${what}`), () => say()[`done_${what}`](name));
  const remove = () =>
    carryOut(() => send("DELETE", `${path}/${id}`), () => say().subscription_removed(name));
  const button = (what: "resume" | "test") => (
    <button
      type="button"
      disabled={is_busy.value}
      onClick={() => void post(what)}
    >
      {say()[what]}
    </button>
  );
  return (
    <span class="row">
      {state === "enabled"
        ? (
          <>
            {button("test")}
            <Asked
              button={say().pause}
              question={say().pause_question(name)}
              answer={say().pause}
              onYes={() => post("pause")}
            />
          </>
        )
        : button("resume")}
      <Asked
        button={say().remove}
        question={say().remove_subscription_question(name)}
        answer={say().remove}
        onYes={remove}
      />
    </span>
  );
}
