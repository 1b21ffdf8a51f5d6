// "Try it": the fields of an endpoint, the request that they make, and its answer as it comes.
import { type Signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { type RawAnswer, sendRaw } from "../frame/api.ts";
import { now_ms, stopwatch } from "../frame/clock.ts";
import { addressOf, type Endpoint, type Field, firstOf } from "./endpoint.ts";
import { token } from "./rights.ts";

type Outcome = { readonly answer: RawAnswer; readonly took_ms: number } | { readonly flaw: string };

/** The longest text of an answer that is shown; the rest can be saved. */
const most_shown = 100_000;

/** A form that sends the request; what changes something is asked about first. */
export function Attempt({ endpoint }: { readonly endpoint: Endpoint }) {
  const { method, fields, media_type } = endpoint;
  const first = Object.fromEntries(fields.map((it) => [it.name, firstOf(it, now_ms.value)]));
  const values = useSignal<Readonly<Record<string, string>>>(first);
  const body = useSignal("");
  const outcome = useSignal<Outcome | "asking" | undefined>(undefined);
  const sure = useSignal(false);
  const address = addressOf(endpoint, values.value);
  const send = async () => {
    sure.value = false;
    outcome.value = "asking";
    const elapsed = stopwatch();
    const headers = {
      ...(token.value ? { authorization: `Bearer ${token.value}` } : {}),
      ...(media_type === undefined ? {} : { "content-type": media_type }),
    };
    const sent = media_type === undefined ? undefined : body.value;
    outcome.value = await sendRaw(address, { method, headers, body: sent }).then(
      (answer) => ({ answer, took_ms: elapsed() }),
      (error) => ({ flaw: String(error) }),
    );
  };
  return (
    <details class="try">
      <summary>Try it</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (method === "GET") void send();
          else sure.value = true;
        }}
      >
        {fields.map((field) => (
          <FieldOf
            key={field.name}
            field={field}
            id={`${endpoint.id}-${field.name}`}
            value={values.value[field.name]}
            onInput={(text) => values.value = { ...values.value, [field.name]: text }}
          />
        ))}
        {media_type !== undefined && <Body media_type={media_type} body={body} />}
        <p class="wide">
          <code>{method} {address}</code>
        </p>
        <Sending method={method} sure={sure} send={() => void send()} />
      </form>
      <div role="status">{outcome.value !== undefined && <p>{outcomeText(outcome.value)}</p>}</div>
      {typeof outcome.value === "object" && <Answer outcome={outcome.value} />}
    </details>
  );
}

function Body({ media_type, body }: BodyProps) {
  return (
    <label class="wide">
      Body, {media_type}
      <textarea
        rows={6}
        spellcheck={false}
        value={body}
        onInput={(event) => body.value = event.currentTarget.value}
      />
    </label>
  );
}

type BodyProps = { readonly media_type: string; readonly body: Signal<string> };

type SendingProps = {
  readonly method: string;
  /** Whether the request waits for a second word. */
  readonly sure: Signal<boolean>;
  readonly send: () => void;
};

/** The button; of what may change data, the question whether it is to be sent, and back. */
function Sending({ method, sure, send }: SendingProps) {
  const button = useRef<HTMLButtonElement>(null);
  const was_asked = useRef(false);
  useLayoutEffect(() => {
    if (was_asked.current) button.current?.focus();
    was_asked.current = sure.value;
  }, [sure.value]);
  if (!sure.value) return <button type="submit" ref={button}>Send</button>;
  return (
    <p class="wide" role="alert">
      This can change data of the running service.{" "}
      <button type="button" onClick={send}>Send {method}</button>{" "}
      <button
        type="button"
        ref={(it) => it?.focus()}
        onClick={() => sure.value = false}
      >
        Cancel
      </button>
    </p>
  );
}

type FieldProps = {
  readonly field: Field;
  readonly id: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
};

/** Several values stand in lines of their own. */
function FieldOf({ field: { name, values }, id, value, onInput }: FieldProps) {
  return (
    <label>
      {name}
      <textarea
        rows={Math.max(1, value.split("\n").length)}
        spellcheck={false}
        value={value}
        placeholder={values.slice(0, 3).join(", ")}
        aria-describedby={values.length > 0 ? id : undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {values.length > 0 && (
        <select
          id={id}
          aria-label={`values of ${name}`}
          onChange={(event) => {
            const { value: picked } = event.currentTarget;
            event.currentTarget.value = "";
            if (picked) onInput(picked);
          }}
        >
          <option value="">…</option>
          {values.map((it) => <option key={it}>{it}</option>)}
        </select>
      )}
    </label>
  );
}

/** What is said of a request at once, also to those who hear the page. */
function outcomeText(outcome: Outcome | "asking"): string {
  if (outcome === "asking") return "Asking …";
  if ("flaw" in outcome) return `Nothing answers: ${outcome.flaw}`;
  const { answer: { status, status_text, bytes }, took_ms } = outcome;
  return `${status} ${status_text} · ${Math.round(took_ms)} ms · ${bytes.length} bytes`;
}

function Answer({ outcome }: { readonly outcome: Outcome }) {
  if ("flaw" in outcome) return null;
  const { answer: { headers, bytes } } = outcome;
  const type = headers.find(([name]) => name === "content-type")?.[1] ?? "";
  return (
    <div class="answer">
      <details>
        <summary>{headers.length} headers</summary>
        <pre tabIndex={0}>{headers.map(([name, value]) => `${name}: ${value}`).join("\n")}</pre>
      </details>
      {bytes.length > 0 && <pre tabIndex={0} aria-label="answer">{textOf(bytes, type)}</pre>}
    </div>
  );
}

/** What is shown of a body: JSON in lines, other texts as they are, of the rest its kind. */
function textOf(bytes: Uint8Array, type: string): string {
  if (!/json|text|javascript|xml|csv/.test(type)) {
    return `${type}: choose format json to read it here`;
  }
  const text = new TextDecoder().decode(bytes.subarray(0, most_shown));
  const cut = bytes.length > most_shown ? `\n… ${bytes.length - most_shown} bytes more` : "";
  if (cut || !/\bjson\b/.test(type) || /seq|ndjson/.test(type)) return text + cut;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
