// The sign-in's texts in English.

export const signin_en = {
  title: "Sign in",
  by_password: "With e-mail and password",
  email: "E-mail",
  password: "Password",
  by_token: "With an access token",
  token: "Access token",
  token_help: "Tokens begin with wk_. The first start of the service prints one.",
  sign_in: "Sign in",
  by_oidc: (name: string) => `Sign in with ${name}`,
  by_demo: "Look around the demo",
  by_link: "Or open the link that the service printed or that an administrator sent you.",
  wrong: "That is not right. Look at it again.",
};
