// The certificate of the fleet's catalogue, as a real PostgreSQL shows it.
import { equal, rejects } from "node:assert/strict";
import { systemEffects } from "../../../src/base/effects.ts";
import { catalogPlace } from "../../../src/model/fleet/place.ts";
import { FleetCatalog } from "../../../src/store/fleet/fleet_catalog.ts";
import { makeCertificates } from "../../help/certificate.ts";
import { skip } from "../../help/lake.ts";
import { startPostgres } from "../../help/postgres.ts";

Deno.test("a catalogue whose certificate is another's is not asked with verify-full", async () => {
  const files = makeCertificates();
  if (files === undefined) return;
  const folder = await Deno.makeTempDir({ dir: "/tmp" });
  const free = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = free.addr as Deno.NetAddr;
  free.close();
  const shown = { cert: files.text("server.pem"), key: files.text("server.key"), port };
  await using server = await startPostgres(`${folder}/postgres`, { shown });
  if (server === undefined) return skip("there is no PostgreSQL, or no root to start it");
  const isMade = async (words: string) => {
    const place = catalogPlace(`postgres:port=${port} user=postgres dbname=postgres ${words}`)!;
    const catalog = new FleetCatalog(place, { effects: systemEffects() });
    return await catalog.isMade().finally(() => catalog.close());
  };
  const checked = "sslmode=verify-full sslrootcert=";
  equal(await isMade(`host=localhost ${checked}${files.path("ca.pem")}`), false);
  await rejects(
    isMade(`host=localhost ${checked}${files.path("stranger.pem")}`),
    /does not answer/,
  );
  await rejects(isMade("host=localhost sslmode=verify-full"), /does not answer.*certificate/);
  // It is this machine, too, and the certificate is not for it.
  await rejects(
    isMade(`host=${Deno.hostname()} ${checked}${files.path("ca.pem")}`),
    /does not answer/,
  );
  equal(await isMade("host=localhost sslmode=require"), false);
});
