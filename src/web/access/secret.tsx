// A text that is shown once, with a button that copies it.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Copy } from "../parts/export.tsx";
import { say } from "./say.ts";

/** The text, what it is and what to do with it; gone for good once it is closed. */
export function Secret({ title, text, help, onClose }: {
  readonly title: string;
  readonly text: string;
  readonly help: ComponentChildren;
  readonly onClose: () => void;
}) {
  const shown = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => shown.current?.focus(), [text]);
  return (
    <div class="secret" ref={shown} tabIndex={-1} role="group" aria-label={title}>
      <h3>{title}</h3>
      <p>
        <code>{text}</code>
      </p>
      <p class="quiet">{help}</p>
      <p class="row">
        <Copy text={text} />
        <button type="button" onClick={onClose}>{say().have_it}</button>
      </p>
    </div>
  );
}
