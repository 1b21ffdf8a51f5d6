// Certificates for tests, made by openssl: an authority, a server, a client, one that has expired.
import { utf8 } from "../../src/base/bytes.ts";

/** Files of certificates and keys in PEM, by their names. */
export type Certificates =
  & Readonly<Record<"ca" | "server" | "client" | "old" | "stranger", string>>
  & {
    /** The path of a file: `server.pem`, `server.key`. */
    readonly path: (file: string) => string;
    readonly text: (file: string) => string;
  };

/** Makes them in a folder of their own; undefined, in words, where there is no openssl. */
export function makeCertificates(): Certificates | undefined {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    Deno.stderr.writeSync(utf8("SKIPPED: there is no openssl to make certificates with\n"));
  }
}

function make(): Certificates {
  const folder = Deno.makeTempDirSync();
  const path = (file: string) => `${folder}/${file}`;
  const curve = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
  const own = (name: string, more = "") =>
    openssl(
      folder,
      `req -x509 ${curve} -days 30 -keyout ${name}.key -out ${name}.pem -subj /CN=${name} ${more}`,
    );
  own("ca", "-addext keyUsage=critical,keyCertSign,cRLSign");
  own("stranger");
  const signed = (name: string, days: number) => {
    openssl(folder, `req ${curve} -keyout ${name}.key -out ${name}.csr -subj /CN=${name}`);
    Deno.writeTextFileSync(
      path(`${name}.ext`),
      "basicConstraints=CA:FALSE\nsubjectAltName=DNS:localhost,IP:127.0.0.1\n",
    );
    openssl(
      folder,
      `x509 -req -in ${name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out ${name}.pem ` +
        `-extfile ${name}.ext -days ${days}`,
    );
  };
  signed("server", 20);
  signed("client", 20);
  signed("old", -1);
  const names = ["ca", "server", "client", "old", "stranger"] as const;
  const text = (file: string) => Deno.readTextFileSync(path(file));
  const pems = Object.fromEntries(names.map((name) => [name, text(`${name}.pem`)]));
  return { ...pems as Record<typeof names[number], string>, path, text };
}

function openssl(cwd: string, line: string): void {
  const args = line.split(" ").filter((it) => it !== "");
  // The OPC UA library leaves a setting of openssl's in the environment of this process.
  const env = { PATH: Deno.env.get("PATH") ?? "" };
  const { success, stderr } = new Deno.Command("openssl", { args, cwd, env, clearEnv: true })
    .outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
