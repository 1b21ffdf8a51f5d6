// The sign-in's texts in Spanish.
import type { signin_en } from "../en/signin.ts";

export const signin_es: typeof signin_en = {
  title: "Iniciar sesión",
  by_password: "Con correo y contraseña",
  email: "Correo electrónico",
  password: "Contraseña",
  by_token: "Con una clave de acceso",
  token: "Clave de acceso",
  token_help: "Empieza por wk_. El primer arranque del servicio muestra una.",
  sign_in: "Entrar",
  by_oidc: (name) => `Entrar con ${name}`,
  by_demo: "Ver la demostración",
  by_link: "O abra el enlace que mostró el servicio o que le envió un administrador.",
  wrong: "No es correcto. Revíselo.",
};
