// Texts by language. Each room has one catalogue per language; the English one gives the type.
import { computed, effect, signal } from "@preact/signals";

/** The languages that there are catalogues of, each by its own name. */
export const languages = { en: "English", de: "Deutsch", es: "Español" } as const;
export type Language = keyof typeof languages;

/** A text, or how one is made of what it names. */
type Words = Readonly<Record<string, string | ((...about: never[]) => string)>>;

/** The other languages' catalogues of a room, loaded when they are wanted. */
type Others<T> = Readonly<Record<Exclude<Language, "en">, () => Promise<T>>>;

export const language = signal<Language>(firstLanguage());

/** What `Intl` formats by: the reader's own variant of the language, where there is one. */
export const locale = computed(() =>
  navigator.languages.find((it) => it.startsWith(language.value)) ?? language.value
);

const loading = new Set<Promise<void>>();

/** A room's texts in the reader's language: `say().title`. English until another is loaded. */
export function words<T extends Words>(en: T, others: Others<T>): () => T {
  const current = signal(en);
  effect(() => {
    const wanted = language.value;
    if (wanted === "en") {
      current.value = en;
      return;
    }
    const load = others[wanted]().then((it) => {
      if (language.peek() === wanted) current.value = it;
    }).catch(() => {}).finally(() => loading.delete(load));
    loading.add(load);
  });
  return () => current.value;
}

/** The text that a catalogue has under a key that came from elsewhere; undefined without one. */
export function wordIn(texts: Words, key: string): string | undefined {
  const text = Object.hasOwn(texts, key) ? texts[key] : undefined;
  return typeof text === "string" ? text : undefined;
}

/** Settles once every catalogue asked for is there. */
export async function wordsLoaded(): Promise<void> {
  await Promise.all(loading);
}

/** Speaks another language from now on, also after a reload. */
export function speak(wanted: Language): void {
  localStorage.setItem("language", wanted);
  language.value = wanted;
}

function firstLanguage(): Language {
  const known = (it: string | null): it is Language => it !== null && Object.hasOwn(languages, it);
  const kept = localStorage.getItem("language");
  if (known(kept)) return kept;
  return navigator.languages.map((it) => it.slice(0, 2)).find(known) ?? "en";
}
