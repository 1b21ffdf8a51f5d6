// The frame's texts in the reader's language.
import { frame_en } from "../words/en/frame.ts";
import { words } from "./words.ts";

export const say = words(frame_en, {
  de: async () => (await import("../words/de/frame.ts")).frame_de,
  es: async () => (await import("../words/es/frame.ts")).frame_es,
});
