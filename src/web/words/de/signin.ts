// The sign-in's texts in German.
import type { signin_en } from "../en/signin.ts";

export const signin_de: typeof signin_en = {
  title: "Anmelden",
  by_password: "Mit E-Mail und Passwort",
  email: "E-Mail",
  password: "Passwort",
  by_token: "Mit einem Zugangsschlüssel",
  token: "Zugangsschlüssel",
  token_help: "Er beginnt mit wk_. Der erste Start des Dienstes zeigt einen an.",
  sign_in: "Anmelden",
  by_oidc: (name) => `Anmelden mit ${name}`,
  by_demo: "Die Demo ansehen",
  by_link: "Oder öffnen Sie den Link, den der Dienst angezeigt oder die Verwaltung geschickt hat.",
  wrong: "Das stimmt nicht. Prüfen Sie die Eingabe.",
};
