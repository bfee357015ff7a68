import { generateKeyPairSync } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runRemote } from "../../src/commands/run-remote.ts";
import { startHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { ociArtifact, npmArtifact, nugetArtifact } from "../artifacts.ts";
import { openFolder, run } from "../clients/client.ts";
import { readManual, textsOf } from "../manual-page.ts";

// From one registry to another, in all protocols, with the command line while the hosts run.

const CONTENT = new Uint8Array(20_000).fill(7);
const PACKAGE = nugetArtifact("Acme.Core", CONTENT);
const MODULE = npmArtifact("acme-bar", CONTENT);
const IMAGE = ociArtifact("team/app", CONTENT);

let dev: TestHost;
let prod: TestHost;
let folder: Awaited<ReturnType<typeof openFolder>>;
const cleanUp = new AsyncDisposableStack();

beforeAll(async () => {
  folder = cleanUp.use(await openFolder());
  prod = cleanUp.use(await startHost({ folder: join(folder.path, "prod") }));
  const token = await prod.makeToken({ scopes: "write,delete" });
  const env = { TARGET_TOKEN: token };
  dev = cleanUp.use(await startHost({ folder: join(folder.path, "dev"), env }));
  const own = await dev.makeToken({ scopes: "write" });
  for (const artifact of [PACKAGE, MODULE, IMAGE]) {
    expect(await artifact.push(dev, own)).toBe(true);
  }
}, 120_000);
afterAll(() => cleanUp.disposeAsync());

/** The digest under the tag `1.0`, with all blobs of the image there. */
async function digestOf(host: TestHost, repository: string) {
  const issued = await host.fetch(`/token?scope=repository:${repository}:pull`);
  const { token } = (await issued.json()) as { token: string };
  const headers = { authorization: `Bearer ${token}` };
  const answer = await host.fetch(`/v2/${repository}/manifests/1.0`, { headers });
  const { layers } = (await answer.json()) as { layers: { digest: string; size: number }[] };
  for (const { digest, size } of layers) {
    const blob = await host.fetch(`/v2/${repository}/blobs/${digest}`, { headers });
    expect((await blob.arrayBuffer()).byteLength).toBe(size);
  }
  return answer.headers.get("docker-content-digest");
}

/** Runs a command that must succeed. */
async function ok(...words: readonly string[]) {
  const done = await dev.cli(...words);
  expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
  return done;
}

function addTarget(name: string, protocol: string, endpoint: string, ...more: readonly string[]) {
  const words = ["--protocol", protocol, "--endpoint", `${prod.url}${endpoint}`];
  const token = ["--token-env", "TARGET_TOKEN", "--allow-private-network"];
  return ok("target", "add", name, ...words, ...token, ...more);
}

test("releases packages of three protocols, and repeats nothing", async () => {
  await addTarget("prod-nuget", "nuget", "/v3/index.json");
  await addTarget("prod-npm", "npm", "/npm/");
  await addTarget("prod-oci", "oci", "/mirror", "--username", "ci");
  for (const name of ["prod-nuget", "prod-npm", "prod-oci"]) await ok("target", "test", name);
  const members = ["nuget:Acme.*", "npm:acme-bar", "oci:team/app"];
  const targets = ["prod-nuget", "prod-npm", "prod-oci"];
  await ok("group", "add", "web", "--member", ...members, "--target", ...targets);

  const tried = await ok("target", "test", "prod-oci", "--package", "oci:team/app");
  expect(tried.stdout).toContain("The target does not have this version.");
  const planned = await ok("promote", "web", "--dry-run");
  expect(planned.stdout.split("\n").filter((line) => line.includes("would be"))).toHaveLength(3);
  expect(await MODULE.check(prod)).toBe("absent");

  const released = await ok("promote", "web", "--json");
  const { id, state } = JSON.parse(released.stdout) as { id: string; state: string };
  expect(state).toBe("released");
  for (const artifact of [PACKAGE, MODULE]) expect(await artifact.check(prod)).toBe("whole");
  expect(await digestOf(prod, "mirror/team/app")).toBe(await digestOf(dev, "team/app"));

  const again = await ok("promote", "web", "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({ state: "released", number: 2 });
  expect((await ok("release", "diff", id, id)).stderr).toContain("the same members");
  const audit = await ok("audit", "list", "--json");
  expect(audit.stdout).toContain('"group.promoted"');
}, 120_000);

test("signs a statement that openssl checks", async () => {
  const [latest] = JSON.parse((await ok("release", "list", "--json")).stdout) as { id: string }[];
  const out = join(folder.path, "statement");
  await mkdir(out);
  await ok("release", "export", latest?.id ?? "", "--out", out);
  const key = join(out, "release.pub");
  const verified = await ok("release", "verify", latest?.id ?? "", "--key", key);
  expect(verified.stdout).toMatch(/^statement: valid.*\noutcome: released, valid/);
  const outcome = await readFile(join(out, "outcome.json"), "utf8");
  const { predicate } = JSON.parse(outcome) as { predicate: { results: readonly object[] } };
  expect(predicate.results).toEqual(
    Array.from({ length: 3 }, () =>
      expect.objectContaining({ state: "pointed", served: expect.any(Object) as object }),
    ),
  );
  const plain = await readFile(join(out, "release.json.sig"), "utf8");
  const statement = await readFile(join(out, "release.json"));
  const envelope = JSON.parse(await readFile(join(out, "release.dsse.json"), "utf8")) as {
    readonly payload: string;
    readonly payloadType: string;
    readonly signatures: readonly { readonly sig: string }[];
  };
  expect(Buffer.from(envelope.payload, "base64")).toEqual(statement);
  // The signed bytes of an envelope, by the specification of DSSE.
  const { payloadType: type, signatures } = envelope;
  const head = `DSSEv1 ${type.length} ${type} ${statement.length} `;
  const authenticated = Buffer.concat([Buffer.from(head), statement]);
  for (const [bytes, signature] of [
    [statement, plain],
    [authenticated, signatures[0]?.sig ?? ""],
    [Buffer.from(outcome), await readFile(join(out, "outcome.json.sig"), "utf8")],
  ] as const) {
    const [signed, raw] = [join(out, "signed"), join(out, "raw.sig")];
    await writeFile(signed, bytes);
    await writeFile(raw, Buffer.from(signature, "base64"));
    const words = ["dgst", "-sha256", "-verify", key, "-signature", raw, signed];
    expect((await run("openssl", words)).output).toContain("Verified OK");
  }
}, 60_000);

test("publishes uploads by itself, in their order", async () => {
  await ok("syndication", "add", "--member", "npm:live-*", "--target", "prod-npm");
  const token = await dev.makeToken({ scopes: "write" });
  const live = npmArtifact("live-bar", CONTENT);
  expect(await live.push(dev, token)).toBe(true);
  await vi.waitFor(async () => expect(await live.check(prod)).toBe("whole"), 30_000);
  await vi.waitFor(async () => {
    const listed = await ok("syndication", "list");
    expect(listed.stdout).toContain("1 released, 0 waiting, 0 failed");
  }, 30_000);
}, 90_000);

test("a person approves a staged version, and the release continues", async () => {
  await addTarget("prod-staged", "npm", "/npm/", "--publish", "stage");
  const token = await dev.makeToken({ scopes: "write" });
  expect(await npmArtifact("staged-bar", CONTENT).push(dev, token)).toBe(true);
  await ok("group", "add", "staged", "--member", "npm:staged-bar", "--target", "prod-staged");
  const pending = await dev.cli("promote", "staged", "--no-wait", "--json");
  expect(pending.code).toBe(4);
  const { id, items } = JSON.parse(pending.stdout) as {
    id: string;
    items: { stageId: string; state: string }[];
  };
  expect(items[0]?.state).toBe("awaiting-approval");
  const approver = await prod.makeToken({ name: "approver", scopes: "write,admin" });
  const approved = await prod.fetch(`/npm/-/stage/${items[0]?.stageId}/approve`, {
    method: "POST",
    headers: { authorization: `Bearer ${approver}` },
  });
  expect([approved.status, await approved.text()]).toEqual([201, expect.any(String)]);
  await vi.waitFor(async () => {
    const { stdout } = await ok("release", "show", id, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ state: "released" });
  }, 60_000);
}, 120_000);

test("a release through the API is a job, which continues and ends like a command's", async () => {
  const token = await dev.makeToken({ name: "runs", scopes: "releases:run,settings:read" });
  const send = (path: string, method: string, headers = {}) =>
    dev.fetch(`/api/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
  const shown = async (path: string) => {
    const answer = await send(path, "GET");
    return { etag: answer.headers.get("etag") ?? "", body: (await answer.json()) as object };
  };
  const planned = await send("/groups/web/releases?dry-run=true", "POST");
  expect([planned.status, await planned.text()]).toEqual([200, expect.stringContaining('"plan"')]);
  const began = await send("/groups/web/releases", "POST");
  const { job } = (await began.json()) as { readonly job: string };
  expect(began.status).toBe(202);
  const end = async () => (await shown(`/jobs/${job}`)).body;
  await expect.poll(end, { timeout: 30_000 }).toMatchObject({
    state: "done",
    progress: expect.stringMatching(/^release [\w-]{36}$/) as unknown,
    result: { release: { state: "released", actor: "runs" } },
  });
  const { result } = (await end()) as { readonly result: { readonly release: { id: string } } };
  const { id } = result.release;
  const released = await shown(`/releases/${id}`);
  expect(released.body).toEqual(JSON.parse((await ok("release", "show", id, "--json")).stdout));
  for (const [headers, expected] of [
    [{}, 428],
    [{ "if-match": '"of-another-time"' }, 412],
    [{ "if-match": released.etag }, 202],
  ] as const) {
    expect((await send(`/releases/${id}/resume`, "POST", headers)).status).toBe(expected);
  }
  expect((await send("/groups", "GET")).status).toBe(403);
}, 60_000);

test("commands of another machine release, and check the statement themselves", async () => {
  const token = await dev.makeToken({ name: "remote", scopes: "releases:run,settings:read" });
  const remote = async (...words: readonly string[]) => {
    const [stdout, stderr]: [string[], string[]] = [[], []];
    const code = await runRemote([...words, `--remote=${dev.url}`], {
      env: { SEALHOUSE_TOKEN: token },
      workingFolder: folder.path,
      stop: new AbortController().signal,
      stdout: (text) => void stdout.push(text),
      stderr: (text) => void stderr.push(text),
    });
    return { code, stdout: stdout.join("\n"), stderr: stderr.join("\n") };
  };
  const released = await remote("promote", "web");
  expect(released).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^release /) as unknown,
  });
  const [, id = ""] = released.stderr.split(" ");
  const shown = await remote("release", "show", id, "--json");
  expect(shown.stdout).toBe((await ok("release", "show", id, "--json")).stdout.trimEnd());
  expect((await remote("release", "export", id, "--out", "remote")).code).toBe(0);
  const verified = await remote("release", "verify", id, "--key", "remote/release.pub");
  expect(verified.stdout).toMatch(/^statement: valid.*\noutcome: released, valid/);
  const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey;
  const pem = other.export({ type: "spki", format: "pem" });
  await writeFile(join(folder.path, "other.pub"), pem);
  const foreign = await remote("release", "verify", id, "--key", "other.pub");
  expect(foreign).toMatchObject({ code: 1, stderr: expect.stringContaining("invalid") as unknown });
}, 60_000);

test("every command of the page works", async () => {
  const own = await dev.makeToken({ scopes: "write" });
  expect(await npmArtifact("@acme/bar", CONTENT).push(dev, own)).toBe(true);
  const released = await ok("release", "list", "--group", "web", "--json");
  const [latest] = JSON.parse(released.stdout) as { id: string }[];
  const out = join(folder.path, "page");
  const lines = textsOf(await readManual("../../../docs/promotion.md"), "sh")
    .flatMap((block) => block.split("\n"))
    .filter((line) => line.startsWith("sealhouse "));
  expect(lines.length).toBeGreaterThan(15);
  for (const line of lines) {
    const text = line
      .replaceAll("https://packages.example", prod.url)
      .replaceAll(/NPM_TOKEN|NUGET_KEY|OCI_TOKEN|ID_TOKEN/g, "TARGET_TOKEN")
      .replace("--lend id-token", "--lend key")
      .replaceAll(/\b(?:ID|OTHER)\b/g, latest?.id ?? "")
      .replaceAll(/(?<= )statement(?=\/| |$)/g, out)
      .replace(/^(sealhouse target add .*)$/, "$1 --replace --allow-private-network")
      .replace(/^(sealhouse group add .*)$/, "$1 --replace");
    const [, ...words] = text.split(" ");
    const done = await dev.cli(...words);
    // A release that has ended is neither resumed nor taken back.
    const isEnded = /release (?:resume|rollback)/.test(line);
    expect([line, isEnded ? 1 : 0, done.stderr]).toEqual([line, done.code, done.stderr]);
  }
}, 180_000);
