// The compiled program, where one can be made: it starts, ingests, answers, and keeps its data.
import { Buffer } from "node:buffer";
import { doesNotMatch, equal, match, ok, rejects } from "node:assert/strict";
import { tableFromIPC } from "apache-arrow";
import { compile } from "../../package/compile.ts";
import { makeDebian } from "../../package/make.ts";
import { version } from "../../src/app.ts";
import { declareProject, rows_per_request, send } from "../help/client.ts";
import { type Program, runProgram, startServer } from "../help/process.ts";

/** What fits through a plant's uplink in ten minutes, at 2 Mbit/s. */
const most_bytes = 140e6;

/** The compiled program in `folder`; undefined, and said so, where there is no runtime for it. */
async function compiled(folder: string): Promise<Program | undefined> {
  const command = `${folder}/wattkeeper`;
  const said = await compile(command);
  if (said === undefined) return { command, args: [] };
  ok(!Deno.env.has("DENORT_BIN"), said);
  // deno-lint-ignore no-console -- nobody should take a skipped test for a passed one
  console.log(`SKIPPED: no runtime to compile with (set COMPILE_DENO and DENORT_BIN): ${said}`);
}

Deno.test("the compiled program", async (t) => {
  const folder = await Deno.makeTempDir();
  const program = await compiled(folder);
  if (program === undefined) return;
  await t.step("it is small, and leaves nothing of the version before", async () => {
    const { size } = await Deno.stat(program.command);
    ok(size < most_bytes, `${size} bytes`);
    const old = `${folder}/.wattkeeper/0123456789abcdef`;
    await Deno.mkdir(old, { recursive: true });
    equal((await runProgram(["--version"], { program })).out, `${version}\n`);
    const words = ["token", "create", "--name", "x", "--scope", "read"];
    equal((await runProgram([...words, "--data-dir", `${folder}/old`], { program })).code, 0);
    await rejects(Deno.stat(old), Deno.errors.NotFound);
  });
  await t.step("V8 takes what is compiled in it: it has nothing to keep as it ends", async () => {
    const kept = `${folder}/compiled`;
    equal((await runProgram(["--version"], { program, env: { START_COMPILED: kept } })).code, 0);
    await rejects(Deno.stat(kept), Deno.errors.NotFound);
  });
  await t.step("where that or its script is damaged, V8 compiles the script anew", async () => {
    const bytes = Buffer.from(await Deno.readFile(program.command));
    const text = "listening on ";
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes[at]++;
    const [command, kept] = [`${folder}/damaged`, `${folder}/compiled`];
    await Deno.writeFile(command, bytes, { mode: 0o755 });
    const ended = await runProgram(["--version"], {
      program: { ...program, command },
      env: { START_COMPILED: kept },
    });
    equal(ended.out, `${version}\n`);
    ok((await Deno.stat(kept)).size > 1_000_000);
    await Deno.remove(command);
  });
  await t.step("it shows the demo", async () => {
    const demo = await runProgram(["demo", "--once", "--days", "1"], { program });
    equal(demo.code, 0, demo.err);
  });
  await t.step("it starts, ingests, answers in Arrow and keeps its data", () => {
    return keepsData(program, `${folder}/data`);
  });
  await t.step(
    "without a home, on a disk that it may not write to, it unpacks beside its data",
    () => {
      return runsReadOnly(program, folder);
    },
  );
  await t.step("its Debian package installs, upgrades and goes; the data stays", () => {
    return installs(program, folder);
  });
  await Deno.remove(folder, { recursive: true });
});

async function keepsData(program: Program, data_dir: string): Promise<void> {
  const first = await startServer(data_dir, { program });
  const client = await declareProject(first);
  ok(await send(first, client, 1));
  equal(await first.end("SIGTERM"), 0);

  const second = await startServer(data_dir, { program });
  equal(second.token, undefined);
  const query = `project_id=${client.project_id}&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`;
  const answer = await fetch(`${second.address}/platform/v1/signals?${query}&resolution=raw`, {
    headers: { authorization: `Bearer ${client.token}` },
  });
  match(answer.headers.get("content-type")!, /arrow/);
  equal(tableFromIPC(new Uint8Array(await answer.arrayBuffer())).numRows, rows_per_request);
  match(await (await fetch(`${second.address}/docs/alarms`)).text(), /<h2 id="life">Life<\/h2>/);
  equal(await second.end("SIGTERM"), 0);
}

/** Runs `script` on a passing copy of this machine; undefined where none can be made. */
async function onThrowawayMachine(script: string): Promise<string | undefined> {
  const folder = await Deno.makeTempDir();
  const { success, stdout, stderr } = await new Deno.Command("unshare", {
    args: ["--mount", "sh", "-c", throwaway, "sh", script, folder],
  }).output().catch(() => ({ success: false, stdout: empty, stderr: empty }));
  await Deno.remove(folder);
  const [out, err] = [stdout, stderr].map((it) => new TextDecoder().decode(it));
  if (!out.startsWith("ready\n")) return undefined;
  ok(success, `${out}\n${err}`);
  return out;
}

const empty = new Uint8Array();

/** The machine's own files below, what is written in memory above. */
const throwaway = `
set -e
umask 022
top=$2
mount -t tmpfs none $top
mkdir $top/upper $top/work $top/all
mount -t overlay overlay -o lowerdir=/,upperdir=$top/upper,workdir=$top/work $top/all
mount -t proc proc $top/all/proc
mount --rbind /dev $top/all/dev
mount --bind /tmp $top/all/tmp
rm -rf $top/all/run/systemd/system
command -v dpkg >/dev/null
echo ready
chroot $top/all sh -ec "$1"`;

async function runsReadOnly({ command }: Program, folder: string): Promise<void> {
  const said = await onThrowawayMachine(`
    mkdir /ro && cp ${command} /ro && mount --bind /ro /ro && mount -o remount,ro,bind /ro
    mkdir -p ${folder}/lone/library
    (cd ${folder}/lone/library && mkdir 0123456789abcdef.7.new fedcba9876543210.8.new)
    touch -d '1 hour ago' ${folder}/lone/library/*.7.new
    env -i /ro/wattkeeper --data-dir ${folder}/lone token create --name lone --scope read
    ls -d ${folder}/lone/library/*`);
  if (said === undefined) return skip("a disk that is read only");
  match(said, /lone\/library\/[0-9a-f]{16}$/m);
  // What a killed process left goes, and what another one may unpack stays.
  doesNotMatch(said, /\.7\.new$/m);
  match(said, /\.8\.new$/m);
}

/** Installs a version, makes a token, upgrades, removes, purges, and installs again. */
async function installs(program: Program, folder: string): Promise<void> {
  const made = { folder, program: program.command, dated_s: 0 };
  if (!await Deno.stat("/usr/bin/dpkg-deb").catch(() => undefined)) {
    return skip("the Debian package");
  }
  const first = await makeDebian({ ...made, version: "0.1.0" });
  const second = await makeDebian({ ...made, version: "0.1.1" });
  const said = await onThrowawayMachine(`
    as_service() {
      setpriv --reuid=wattkeeper --regid=wattkeeper --clear-groups env -i PATH=$PATH \
        $(sed -n 's/^Environment=//p' /usr/lib/systemd/system/wattkeeper.service) \
        wattkeeper --config /etc/wattkeeper/wattkeeper.toml "$@"
    }
    dpkg -i ${first}
    dpkg-query -W -f 'takes \${Installed-Size} KiB\\n' wattkeeper
    as_service token create --name kept --scope read
    stat -c '%U %a %n' /var/lib/wattkeeper
    ls -A /var/lib/wattkeeper
    echo '#changed' >>/etc/wattkeeper/wattkeeper.toml
    dpkg -i ${second}
    as_service token list
    tail -n 1 /etc/wattkeeper/wattkeeper.toml
    dpkg -r wattkeeper
    ! command -v wattkeeper
    dpkg -P wattkeeper
    ls -d /etc/wattkeeper /usr/lib/wattkeeper /usr/bin/.wattkeeper || echo all gone
    dpkg -i ${first}
    as_service token list`);
  if (said === undefined) return skip("the Debian package");
  match(said, /^wattkeeper 700 \/var\/lib\/wattkeeper$/m);
  doesNotMatch(said, /^\.(local|wattkeeper)$/m);
  match(said, /^takes \d{6} KiB$/m);
  match(said, /^#changed$/m);
  match(said, /the data stays in \/var\/lib\/wattkeeper/);
  match(said, /^all gone$/m);
  doesNotMatch(said, /^\/(etc|usr)\/\S*wattkeeper$/m);
  equal(said.match(/kept/g)?.length, 2, said);
}

function skip(what: string): void {
  // deno-lint-ignore no-console -- nobody should take a skipped test for a passed one
  console.log(`SKIPPED: ${what}; it needs dpkg, root, and overlays that can be mounted`);
}
