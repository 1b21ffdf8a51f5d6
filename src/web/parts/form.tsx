// Forms and fields of the page, asking once more before what can't be undone, and what came of it.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Problem } from "../frame/api.ts";
import { say } from "../frame/say.ts";
import { is_busy, last_outcome } from "./act.ts";
import { problemText } from "./panel.tsx";

/** A form: sent by its button or Enter, closed by Escape. */
export function Form({ title, button, onSubmit, onClose, children }: {
  readonly title: string;
  readonly button: string;
  readonly onSubmit: (form: FormData) => Promise<unknown>;
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}) {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    if (onClose) form.current?.querySelector<HTMLElement>("input, select")?.focus();
  }, []);
  return (
    <form
      ref={form}
      class="form"
      aria-label={title}
      onKeyDown={({ key }) => key === "Escape" && onClose?.()}
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit(new FormData(event.currentTarget));
      }}
    >
      <h3>{title}</h3>
      {children}
      <div class="row">
        <button type="submit" class="main" disabled={is_busy.value}>{button}</button>
        {onClose && <button type="button" onClick={onClose}>{say().cancel}</button>}
      </div>
    </form>
  );
}

/** A named field of a form, with what it means below. */
export function Field({ name, help, children }: {
  readonly name: string;
  readonly help?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <label class="field">
      <span>{name}</span>
      {children}
      {help && <small class="quiet">{help}</small>}
    </label>
  );
}

/** Choices of which any number may be made, all under one `name` of the form. */
export function Choices({ title, name, choices, chosen, help }: {
  readonly title: string;
  readonly name: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly chosen: readonly string[];
  readonly help?: string;
}) {
  return (
    <fieldset>
      <legend>{title}</legend>
      {choices.map(([value, text]) => (
        <label class="choice">
          <input
            type="checkbox"
            name={name}
            value={value}
            defaultChecked={chosen.includes(value)}
          />
          {text}
        </label>
      ))}
      {help && <small class="quiet">{help}</small>}
    </fieldset>
  );
}

/** A button that asks in words first: `question` says what will happen, `answer` does it. */
export function Asked({ button, question, answer, onYes }: {
  readonly button: string;
  readonly question: string;
  readonly answer: string;
  readonly onYes: () => Promise<unknown>;
}) {
  const is_open = useSignal(false);
  const no = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (is_open.value) no.current?.focus();
  }, [is_open.value]);
  if (!is_open.value) {
    return (
      <button type="button" disabled={is_busy.value} onClick={() => is_open.value = true}>
        {button}…
      </button>
    );
  }
  return (
    <span
      class="asked"
      role="group"
      aria-label={question}
      onKeyDown={({ key }) => key === "Escape" && (is_open.value = false)}
    >
      <span role="alert">{question}</span>
      <button
        type="button"
        class="main"
        disabled={is_busy.value}
        onClick={() => void onYes().finally(() => is_open.value = false)}
      >
        {answer}
      </button>
      <button type="button" ref={no} onClick={() => is_open.value = false}>{say().cancel}</button>
    </span>
  );
}

/** What the last action came to. */
export function Outcome() {
  const said = last_outcome.value;
  const text = said instanceof Problem ? problemText(said) : said;
  return <p class={said instanceof Problem ? "said failed" : "said"} role="status">{text}</p>;
}

/** A field for a day; tells each that is whole: while a year is typed, `0202` is none. */
export function DayInput({ value, max, label, onDay }: {
  readonly value: string | undefined;
  readonly max: string;
  readonly label?: string;
  readonly onDay: (day: string) => void;
}) {
  return (
    <input
      type="date"
      aria-label={label}
      value={value}
      min="2000-01-01"
      max={max}
      required
      onChange={({ currentTarget }) => currentTarget.validity.valid && onDay(currentTarget.value)}
    />
  );
}
