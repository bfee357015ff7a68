import { once } from "node:events";
import { rename } from "node:fs/promises";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { openSqliteFile } from "@sealhouse/database/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli, spawnCli, startHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { npmArtifact, ociArtifact } from "../artifacts.ts";
import { openFolder } from "../clients/client.ts";
import { openSlowProxy } from "../clients/slow-proxy.ts";

// Operators' troubles: tokens, keys and addresses, with the command line while the hosts run.

const CONTENT = new Uint8Array(200_000).fill(7);
const NEAR = "--allow-private-network";
const PENDING = 4;
const BUSY = 5;

let prod: TestHost;
let dev: TestHost;
let devFolder: string;
let keys: string;
/** Token of the first registry. */
let own: string;
/** Environment of the command line. */
let env: Record<string, string>;
const cleanUp = new AsyncDisposableStack();

beforeAll(async () => {
  const folder = cleanUp.use(await openFolder()).path;
  prod = cleanUp.use(await startHost({ folder: join(folder, "prod") }));
  keys = join(folder, "keys");
  env = {
    TARGET_TOKEN: await prod.makeToken({ name: "first", scopes: "write,delete" }),
    Host__DataProtection__KeyPath: keys,
  };
  devFolder = join(folder, "dev");
  dev = cleanUp.use(await startHost({ folder: devFolder, env }));
  own = await dev.makeToken({ scopes: "write" });
  for (const name of ["revoked", "lost", "private", "twice", "held", "waiting"]) {
    expect(await npmArtifact(`acme-${name}`, CONTENT).push(dev, own)).toBe(true);
  }
}, 120_000);
afterAll(() => cleanUp.disposeAsync());

const cli = (...words: readonly string[]) => runCli(words, { folder: devFolder, env });
/** Has other settings than the host, and so reads the keys itself. */
const ownCli = (...words: readonly string[]) =>
  runCli(words, { folder: devFolder, env: { ...env, Feed__Other: "settings" } });

async function ok(...words: readonly string[]) {
  const done = await cli(...words);
  expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
  return done.stdout;
}

type Shown = { readonly id: string; readonly state: string; readonly reason?: string };

type Place = { readonly url?: string; readonly options?: readonly string[] };

/** Adds a target, and a group of one package that goes there. */
async function addGroup(name: string, { url = prod.url, options = [NEAR] }: Place = {}) {
  const place = ["--protocol", "npm", "--endpoint", `${url}/npm/`];
  await ok("target", "add", name, ...place, "--token-env", "TARGET_TOKEN", ...options);
  await ok("group", "add", name, "--member", `npm:acme-${name}`, "--target", name, "--replace");
}

/** Opens a release and does not wait for it. */
async function begin(group: string, run = cli): Promise<Shown & { readonly code: number }> {
  const { code, stdout } = await run("promote", group, "--no-wait", "--json");
  return { code, ...(JSON.parse(stdout) as Shown) };
}

const isThere = async (name: string) =>
  (await npmArtifact(`acme-${name}`, CONTENT).check(prod)) === "whole";

test("refuses a private address at once, and names the option that allows it", async () => {
  const place = ["--protocol", "npm", "--endpoint", `${prod.url}/npm/`];
  const { code, stderr } = await cli("target", "add", "private", ...place);
  expect([code, stderr]).toEqual([1, expect.stringContaining(NEAR)]);
  expect(JSON.parse(await ok("target", "list", "--json"))).toEqual([]);
}, 60_000);

async function openServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUp.defer(() => server.closeAllConnections());
  cleanUp.defer(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("follows no redirect to a private address that is not the target's own", async () => {
  const seen: (string | undefined)[] = [];
  const inside = await openServer(({ headers }, response) => {
    seen.push(headers.authorization);
    response.end("{}");
  });
  const url = await openServer(({ url: path }, response) => {
    response.writeHead(307, { location: `${inside}${path}` }).end();
  });
  await addGroup("private", { url });
  const { state, reason } = await begin("private");
  expect([state, reason]).toEqual(["failed", expect.stringContaining("in a private network")]);
  expect(seen).toEqual([]);
}, 60_000);

test("a revoked token pauses the target; with a new one the release continues", async () => {
  await addGroup("revoked");
  const tokens = JSON.parse((await prod.cli("token", "list", "--json")).stdout) as {
    readonly id: string;
    readonly name: string;
  }[];
  const first = tokens.find(({ name }) => name === "first");
  expect((await prod.cli("token", "revoke", first?.id ?? "")).code).toBe(0);
  const { code, id, reason } = await begin("revoked");
  expect([code, reason]).toEqual([PENDING, expect.stringContaining("refuses its credentials")]);
  expect(await ok("target", "list")).toContain("paused: its credentials are refused");
  const TARGET_TOKEN = await prod.makeToken({ name: "second", scopes: "write,delete" });
  env = { ...env, TARGET_TOKEN };
  await addGroup("revoked", { options: [NEAR, "--replace"] });
  await ok("release", "resume", id);
  expect(await isThere("revoked")).toBe(true);
}, 60_000);

test("a lost key ring blocks the release, which continues when it is back", async () => {
  await addGroup("lost");
  await rename(keys, `${keys}-away`);
  const { code, id, reason } = await begin("lost", ownCli);
  expect([code, reason]).toEqual([PENDING, expect.stringContaining("cannot be decrypted")]);
  expect(await isThere("lost")).toBe(false);
  await rename(keys, `${keys}-new`);
  await rename(`${keys}-away`, keys);
  await ok("release", "resume", id);
  expect(await isThere("lost")).toBe(true);
}, 60_000);

/** As if all images had been pushed and tagged three days earlier. */
function passThreeDays(): void {
  const rows = openSqliteFile(join(devFolder, "sealhouse.db"));
  for (const [table, column] of [
    ["blobs", "touched_at"],
    ["oci_repository_blobs", "linked_at"],
    ["oci_manifests", "touched_at"],
    ["oci_tags", "updated_at"],
  ]) {
    rows.exec(`update ${table} set ${column} = ${column} - ${3 * 24 * 60 * 60_000}`);
  }
  rows.close();
}

test("neither a new image under the tag nor a collection changes a frozen release", async () => {
  const frozen = ociArtifact("team/app", CONTENT);
  expect(await frozen.push(dev, own)).toBe(true);
  const place = ["--protocol", "oci", "--endpoint", prod.url, "--username", "ci"];
  await ok("target", "add", "images", ...place, "--token-env", "TARGET_TOKEN", NEAR);
  await ok("group", "add", "images", "--member", "oci:team/app", "--target", "images");
  await ok("target", "pause", "images", "--reason", "maintenance");
  const { code, id } = await begin("images");
  expect(code).toBe(PENDING);
  expect(await ociArtifact("team/app", CONTENT.slice(1)).push(dev, own)).toBe(true);
  const collect = async () => {
    passThreeDays();
    return (await cli("oci", "gc", "--apply")).stderr;
  };
  expect(await collect()).toContain("deleted 0 manifests and blobs");
  await ok("target", "resume", "images");
  await ok("release", "resume", id);
  expect(await frozen.check(prod)).toBe("whole");
  // Afterwards nothing holds it.
  expect(await collect()).toMatch(/deleted [1-9]\d* manifests and blobs/);
}, 60_000);

/** As if the release had published something that cannot be taken back. */
function passPivot(id: string): void {
  const rows = openSqliteFile(join(devFolder, "sealhouse.db"));
  const pass = "update releases set state = 'publishing', pivot_at = created_at where id = ?";
  expect(rows.prepare(pass).run(id).changes).toBe(1);
  const before = JSON.stringify({ tags: {} });
  const carry = "update release_items set state = 'carried', found_before = ? where release_id = ?";
  expect(rows.prepare(carry).run(before, id).changes).toBe(1);
  rows.close();
}

async function unpublish(name: string): Promise<void> {
  const token = await dev.makeToken({ name: "remover", scopes: "write,delete" });
  const headers = { authorization: `Bearer ${token}` };
  const found = await dev.fetch(`/npm/${name}?write=true`, { headers });
  const { _rev: revision } = (await found.json()) as { readonly _rev: string };
  const path = `/npm/${name}/-rev/${revision}`;
  const answer = await dev.fetch(path, { method: "DELETE", headers });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
}

test("publishes a package that was deleted after the pivot, and notes it", async () => {
  await addGroup("held");
  await ok("target", "pause", "held", "--reason", "maintenance");
  const { code, id } = await begin("held");
  expect(code).toBe(PENDING);
  passPivot(id);
  await unpublish("acme-held");
  expect(await npmArtifact("acme-held", CONTENT).check(dev)).toBe("absent");
  await ok("target", "resume", "held");
  const released = await ok("release", "resume", id);
  expect(released).toContain("it was deleted here after the release had begun");
  expect(await isThere("held")).toBe(true);
}, 60_000);

test("Ctrl-C ends the waiting and not the release: exit code 4, with its id", async () => {
  await addGroup("waiting");
  await ok("target", "pause", "waiting", "--reason", "maintenance");
  const interrupting = new AbortController();
  const options = { folder: devFolder, env, interrupt: interrupting.signal };
  const running = spawnCli(["promote", "waiting"], options);
  const shown = async () => {
    const listed = await ok("release", "list", "--group", "waiting", "--json");
    return (JSON.parse(listed) as readonly Shown[])[0];
  };
  await expect
    .poll(async () => (await shown())?.reason, { timeout: 30_000 })
    .toContain("maintenance");
  interrupting.abort();
  const { code, stderr } = await running;
  const id = (await shown())?.id ?? "";
  expect(code).toBe(PENDING);
  const sentence = `The release continues in the background: sealhouse release show ${id}`;
  expect(stderr.trimEnd().split("\n").at(-1)).toBe(sentence);
  expect(stderr).not.toMatch(/\n\s+at /);
  await ok("target", "resume", "waiting");
  await ok("release", "resume", id);
  expect(await isThere("waiting")).toBe(true);
}, 60_000);

test("a second release of a group is refused while the first runs", async () => {
  const { url } = cleanUp.use(await openSlowProxy(prod.url, 1_000));
  await addGroup("twice", { url });
  const both = await Promise.all([cli("promote", "twice"), cli("promote", "twice")]);
  expect(both.filter(({ code }) => code === 0)).toHaveLength(1);
  const busy = both.find(({ code }) => code === BUSY);
  expect(busy?.stderr).toContain("Another release of twice runs");
  expect(await isThere("twice")).toBe(true);
}, 60_000);
