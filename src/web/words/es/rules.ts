import type { rules_en } from "../en/rules.ts";
export const rules_es: typeof rules_en = { title: "" };
