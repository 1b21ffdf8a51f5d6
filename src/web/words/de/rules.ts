import type { rules_en } from "../en/rules.ts";
export const rules_de: typeof rules_en = { title: "" };
