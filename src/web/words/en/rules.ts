// The rules page's texts in English.

export const rules_en = { title: "Rules" };
