// Webhooks: who gets them, whether they arrive, and sending again what did not.
import { getJson, send } from "../frame/api.ts";
import { useLoad } from "../frame/load.ts";
import { no_number, numberText } from "../frame/number.ts";
import { change, param } from "../frame/place.ts";
import { Loaded, Panel } from "../parts/panel.tsx";
import { beat, carryOut, is_busy } from "../parts/act.ts";
import { Asked } from "../parts/form.tsx";
import { Listing } from "../parts/listing.tsx";
import { say } from "./say.ts";
import { open_id, openOne } from "./section.ts";
import { Subscriptions, useSubscriptions } from "./subscriptions.tsx";
import { Ago, When } from "../parts/when.tsx";

const path = "/admin/v1/deliveries";
const states = ["dead", "pending", "held", "acknowledged"] as const;
const refresh_ms = 10_000;
const most_rows = 200;

/** A delivery as it is listed. */
type Delivery = {
  readonly id: string;
  readonly subscription_id: string;
  readonly event_id: string;
  readonly type: string;
  readonly state: typeof states[number];
  readonly attempts: number;
  readonly due_at: string | null;
  readonly settled_at: string | null;
  readonly created_at: string;
};

type Attempt = {
  readonly attempt: number;
  readonly sent_at: string;
  readonly took_ms: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly address: string | null;
  readonly answer: string | null;
};

/** The section. */
export function Deliveries() {
  const subscriptions = useSubscriptions();
  return (
    <>
      <Subscriptions of={subscriptions} />
      {(subscriptions.data?.length ?? 0) > 0 && (
        <DeliveryPanel
          names={new Map(subscriptions.data!.map(({ id, name }) => [id, name]))}
        />
      )}
    </>
  );
}

function DeliveryPanel({ names }: { readonly names: ReadonlyMap<string, string> }) {
  const state = states.find((it) => it === param("state"));
  const subscription_id = [...names.keys()].find((id) => id === param("subscription"));
  const rows = useLoad(
    [state, subscription_id],
    async ([state, subscription_id], signal) => {
      const query = { state, subscription_id, limit: most_rows };
      return (await getJson<{ deliveries: readonly Delivery[] }>(path, query, signal)).deliveries;
    },
    { refresh_ms, again: beat.value },
  );
  return (
    <Panel title={say().deliveries} aside={say().newest_first(most_rows)}>
      <p class="row" role="group" aria-label={say().state}>
        {states.map((it) => (
          <button
            type="button"
            aria-pressed={it === state}
            title={meaningOf(it)}
            onClick={() => change({ state: it === state ? undefined : it, open: undefined })}
          >
            {say()[`delivery_${it}`]}
          </button>
        ))}
        {subscription_id && (
          <button
            type="button"
            onClick={() => change({ subscription: undefined })}
          >
            {say().every_receiver(names.get(subscription_id)!)}
          </button>
        )}
      </p>
      <Loaded
        of={rows}
        isEmpty={(rows) => rows.length === 0}
        empty={state ? say().no_such_deliveries : say().no_deliveries}
      >
        {(rows) => (
          <Listing
            label={say().deliveries}
            columns={columns()}
            rows={rows.map((row) => ({
              key: row.id,
              cells: cellsOf(row, names.get(row.subscription_id) ?? no_number),
              below: open_id.value === row.id && <Attempts of={row} />,
            }))}
          />
        )}
      </Loaded>
    </Panel>
  );
}

const columns = () => [
  { name: say().event },
  { name: say().receiver },
  { name: say().state },
  { name: say().made },
  { name: say().attempts, is_number: true },
  { name: say().next },
  { name: say().to_do },
];

function cellsOf(row: Delivery, receiver: string) {
  const { id, state, due_at, settled_at } = row;
  const is_open = open_id.value === id;
  return [
    <button
      type="button"
      class="plain"
      aria-expanded={is_open}
      title={row.event_id}
      onClick={() => openOne(is_open ? undefined : id)}
    >
      {row.type}
    </button>,
    receiver,
    <span class={`badge ${state}`} title={meaningOf(state)}>
      {say()[`delivery_${state}`]}
    </span>,
    <Ago at={row.created_at} />,
    numberText(row.attempts),
    due_at ? <Ago at={due_at} /> : settled_at ? <Ago at={settled_at} /> : no_number,
    <Again of={row} receiver={receiver} />,
  ];
}

function meaningOf(state: Delivery["state"]): string {
  return state === "dead" ? say().means_lost : say()[`means_${state}`];
}

/** Sending again: at once where it has failed, with a question where it has arrived already. */
function Again({ of, receiver }: { readonly of: Delivery; readonly receiver: string }) {
  const { event_id, subscription_id, state } = of;
  const resend = () =>
    carryOut(
      () => send("POST", `${path}/replay`, { body: { event_id, subscription_id } }),
      () => say().sent_again(of.type, receiver),
    );
  if (state === "pending" || state === "held") return <>{no_number}</>;
  if (state === "acknowledged") {
    return (
      <Asked
        button={say().send_again}
        question={say().send_again_question(receiver)}
        answer={say().send_again}
        onYes={resend}
      />
    );
  }
  return (
    <button type="button" disabled={is_busy.value} onClick={() => void resend()}>
      {say().send_again}
    </button>
  );
}

/** Each attempt of a delivery, and what was answered. */
function Attempts({ of: { id } }: { readonly of: Delivery }) {
  const log = useLoad(
    id,
    async (id, signal) =>
      (await getJson<{ attempt_log: readonly Attempt[] }>(`${path}/${id}`, {}, signal)).attempt_log,
    { refresh_ms, again: beat.value },
  );
  return (
    <Loaded of={log} isEmpty={(rows) => rows.length === 0} empty={say().no_attempt}>
      {(rows) => (
        <ol class="attempts">
          {rows.map((it) => (
            <li key={it.attempt}>
              <When at={it.sent_at} />: <b>{it.status ?? it.error ?? say().no_answer}</b>{" "}
              <span class="quiet">
                {say().took(numberText(it.took_ms), it.address ?? no_number)}
              </span>
              {it.answer && <pre tabIndex={0}>{it.answer}</pre>}
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  );
}
