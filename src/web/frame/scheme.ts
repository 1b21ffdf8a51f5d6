// Light or dark: as the system says, or as the reader chose.
import { effect, signal } from "@preact/signals";

export const schemes = ["auto", "light", "dark"] as const;
export type Scheme = typeof schemes[number];

export const scheme = signal<Scheme>(
  schemes.find((it) => it === localStorage.getItem("scheme")) ?? "auto",
);

/** Whether what is drawn on canvases is dark; moves with the choice and with the system. */
export const is_dark = signal(false);

/** Lets the choice and the system decide from now on. */
export function followScheme(): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const look = () =>
    is_dark.value = scheme.peek() === "auto" ? system.matches : scheme.peek() === "dark";
  system.addEventListener("change", look);
  effect(() => {
    document.documentElement.dataset.scheme = scheme.value;
    look();
  });
}

/** Takes another scheme from now on, also after a reload. */
export function choose(wanted: Scheme): void {
  localStorage.setItem("scheme", wanted);
  scheme.value = wanted;
}

/** What a colour of the style sheet (`--line`) is now, as canvases take it. */
export function colorOf(name: string): string {
  is_dark.value;
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
