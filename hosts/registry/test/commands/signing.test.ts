import { createHash } from "node:crypto";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { contentHash, packageBytesOf, readSignature } from "@sealhouse/repo-signing";
import { createTestSigner, signAsAuthor } from "@sealhouse/repo-signing/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../../src/log.ts";
import { openRegistry } from "../../src/registry.ts";
import type { Registry } from "../../src/registry.ts";
import { loadConfig } from "../../src/settings/load.ts";
import { runInProcess } from "../../src/testing/index.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SILENT = createLog({ level: "None", format: "Json" }, () => undefined);

let folder = "";
let token = "";
const clock = { aheadMs: 0 };
const now = () => new Date(Date.now() + clock.aheadMs);
beforeEach(async () => {
  clock.aheadMs = 0;
  folder = await mkdtemp(join(tmpdir(), "sealhouse-signing-"));
  token = (await run("token", "create", "--name", "test", "--scopes", "write,delete")).printed;
});
afterEach(() => rm(folder, { recursive: true }));

function settings() {
  return {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: folder,
    Signing__SelfSigned__KeySize: "KeySize2048",
    Feed__PublicBaseUrl: "https://feed.example",
    PackageDeletionBehavior: "HardDelete",
  };
}

function run(...words: readonly string[]) {
  return runInProcess(words, { folder, env: settings(), now });
}

async function json(...words: readonly string[]): Promise<unknown> {
  return JSON.parse((await run(...words, "--json")).printed);
}

/** One more instance over the same data. */
function open(): Promise<Registry> {
  const { config } = loadConfig({ env: settings(), workingFolder: folder });
  return openRegistry(config, { log: SILENT, now });
}

async function push(
  { fetch }: Registry,
  version: string,
  bytes: Uint8Array = buildNupkg({ id: "Acme", version }),
): Promise<Response> {
  const body = Buffer.from(bytes);
  const headers = { "x-nuget-apikey": token };
  return fetch(new Request("http://x/api/v2/package", { method: "PUT", headers, body }));
}

async function download({ fetch }: Registry, version: string): Promise<Buffer> {
  const path = `http://x/v3/package/acme/${version}/acme.${version}.nupkg`;
  return Buffer.from(await (await fetch(new Request(path))).arrayBuffer());
}

/** Deletes permanently, so that the feed does not count the version. */
async function deleteVersion({ fetch }: Registry, version: string): Promise<void> {
  const headers = { "x-nuget-apikey": token };
  const path = `http://x/api/v2/package/acme/${version}`;
  expect((await fetch(new Request(path, { method: "DELETE", headers }))).status).toBe(204);
}

type Document = {
  readonly contentHash: string;
  readonly received: { readonly digest: { readonly sha256: string; readonly sha512: string } };
  readonly signed: readonly {
    readonly digest: { readonly sha256: string; readonly sha512: string } | null;
    readonly certificate: { readonly fingerprint: string };
    readonly replacedAt: string | null;
  }[];
};

async function provenance({ fetch }: Registry, version: string): Promise<Document> {
  const path = `http://x/v3/package/acme/${version}/provenance.json`;
  return (await (await fetch(new Request(path))).json()) as Document;
}

async function signer(bytes: Buffer): Promise<string | undefined> {
  const signature = await readSignature(packageBytesOf(bytes));
  return signature.kind === "none" ? undefined : signature.signer.fingerprint;
}

async function listed({ fetch }: Registry): Promise<readonly string[]> {
  const answer = await fetch(new Request("http://x/v3/repository-signatures/index.json"));
  const { signingCertificates } = (await answer.json()) as {
    signingCertificates: readonly { fingerprints: Record<string, string> }[];
  };
  return signingCertificates.flatMap(({ fingerprints }) => Object.values(fingerprints));
}

function digests(bytes: Uint8Array) {
  const hash = (name: string) => createHash(name).update(bytes).digest("hex");
  return { sha256: hash("sha256"), sha512: hash("sha512") };
}

test("a certificate takes the place of another while two instances serve", async () => {
  await using registry = await open();
  await using other = await open();
  for (const version of ["1.0.0", "2.0.0"])
    expect((await push(registry, version)).status).toBe(201);
  const before = await download(other, "1.0.0");
  const old = (await signer(before)) ?? "";
  expect(await json("signing", "list")).toMatchObject([
    { fingerprint: old, active: true, versions: 2 },
  ]);

  const rotated = (await json("signing", "rotate")) as Record<string, unknown>;
  const fingerprint = String(rotated["fingerprint"]);
  expect(rotated).toMatchObject({ status: "prepared", left: 2 });
  expect(fingerprint).not.toBe(old);
  // Clients hear of it before the first package that it signs.
  expect(await listed(registry)).toEqual([old, fingerprint]);
  expect((await run("signing", "list")).printed).toMatch(
    new RegExp(`^${fingerprint}  prepared  0 versions  CN=.*\n.*, signs from 20.*Z$`, "m"),
  );
  expect((await run("signing", "rotate")).stderr).toMatch(/is listed already.*rotate --now/s);
  for (const [aheadMs, version] of [
    [MINUTE_MS, "2.1.0"],
    [59 * MINUTE_MS, "2.2.0"],
  ] as const) {
    clock.aheadMs = aheadMs;
    await using restarted = await open();
    expect((await push(restarted, version)).status).toBe(201);
    expect(await signer(await download(registry, version))).toBe(old);
    await deleteVersion(registry, version);
  }
  clock.aheadMs = HOUR_MS;
  for (const [index, instance] of [registry, other].entries()) {
    const version = `3.0.${index}`;
    expect((await push(instance, version)).status).toBe(201);
    expect(await signer(await download(registry, version))).toBe(fingerprint);
  }
  expect(await download(registry, "1.0.0")).toEqual(before);
  expect(await json("signing", "list")).toMatchObject([
    { fingerprint: old, versions: 2 },
    { fingerprint, versions: 2 },
  ]);

  const refused = await run("signing", "retire", old);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /^2 versions are served with a signature of this certificate alone/,
  );
  expect((await run("signing", "retire", fingerprint)).stderr).toMatch(
    /current signing certificate.*rotate/s,
  );

  expect(await json("signing", "resign", "--dry-run")).toMatchObject({ planned: 2, signed: 0 });
  expect(await json("signing", "resign", "--limit", "1")).toMatchObject({
    certificate: fingerprint,
    signed: 1,
    left: 1,
    versions: [{ id: "Acme", version: "1.0.0", outcome: "signed", signedBefore: old }],
  });
  const rest = await run("signing", "resign", "--from", old.slice(0, 8).toUpperCase());
  expect(rest).toMatchObject({ code: 0, printed: "signed  Acme  2.0.0" });
  const [after, same] = [await download(registry, "1.0.0"), await download(other, "1.0.0")];
  expect(after.equals(before)).toBe(false);
  expect(after).toEqual(same);
  expect(await signer(after)).toBe(fingerprint);
  const hash = (bytes: Buffer) => contentHash(packageBytesOf(bytes), "SHA512");
  expect(await hash(after)).toEqual(await hash(before));

  expect((await run("signing", "retire", old)).code).toBe(0);
  expect(await listed(registry)).toEqual([fingerprint]);
  expect((await run("signing", "retire", old)).stderr).toMatch(/was retired before/);
  expect((await run("signing", "list")).printed).toContain(`${old}  retired  0 versions  CN=`);

  const readDigests = async () =>
    (await provenance(registry, "1.0.0")).signed.map(({ digest }) => digest);
  await expect.poll(readDigests, { timeout: 20_000 }).toEqual([digests(before), digests(after)]);
  const document = await provenance(other, "1.0.0");
  expect(document.contentHash).toBe((await hash(after)).toString("base64"));
  expect(document.signed).toMatchObject([
    { certificate: { fingerprint: old }, replacedAt: expect.any(String) as string },
    { certificate: { fingerprint }, replacedAt: null },
  ]);
}, 60_000);

test("lists what a rotation and a retirement would do, and changes nothing", async () => {
  await using host = await open();
  await push(host, "1.0.0");
  const old = (await signer(await download(host, "1.0.0"))) ?? "";
  const before = await json("signing", "list");
  const planned = (await json("signing", "rotate", "--now", "--dry-run")) as object;
  expect(planned).toMatchObject({ status: "planned", fingerprint: old, left: 1 });
  expect(JSON.stringify(planned)).toMatch(/NU3034.*pin the certificate.*1 version keeps/);
  expect((await run("signing", "retire", old, "--dry-run")).stderr).toMatch(/rotate/);
  expect(await json("signing", "list")).toEqual(before);
  const { fingerprint } = (await json("signing", "rotate", "--now")) as { fingerprint: string };
  expect((await run("signing", "retire", old, "--dry-run")).stderr).toMatch(/^1 version is served/);
  expect(await json("signing", "retire", old, "--dry-run", "--resign")).toMatchObject({
    outcome: "planned",
    resigned: { planned: 1, signed: 0 },
  });
  expect(await json("signing", "show", old)).toMatchObject({ state: "active", versions: 1 });
  expect((await run("audit", "list", "--subject", "signing")).printed).toContain("command line");
  expect(fingerprint).not.toBe(old);
});

test("two changes of signatures do not run at once", async () => {
  await using host = await open();
  await push(host, "1.0.0");
  const { config } = loadConfig({ env: settings(), workingFolder: folder });
  await using database = await openDatabase(config.database);
  await database.leases.acquire("certificates", "another host", MINUTE_MS);
  for (const words of [["rotate"], ["resign"], ["retire", "ab"]]) {
    const { code, stderr } = await run("signing", ...words);
    if (words[0] === "retire") expect(stderr).toMatch(/There is no certificate/);
    else expect([code, stderr]).toEqual([5, expect.stringMatching(/^Another change of cert/)]);
  }
  expect((await run("signing", "resign", "--dry-run")).code).toBe(0);
});

test("signs again and retires in one go, on request", async () => {
  await using host = await open();
  await push(host, "1.0.0");
  const old = (await signer(await download(host, "1.0.0"))) ?? "";
  const forgotten = await run("signing", "rotate", "--resign");
  expect(forgotten).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/add --now/) as string,
  });
  const { fingerprint } = (await json("signing", "rotate", "--now")) as { fingerprint: string };
  expect(await json("signing", "retire", old, "--resign")).toMatchObject({ outcome: "retired" });
  expect(await signer(await download(host, "1.0.0"))).toBe(fingerprint);

  const third = (await json("signing", "rotate", "--now", "--resign")) as object;
  expect(third).toMatchObject({ left: 0, resigned: { signed: 1, failed: 0 } });
});

test("a retired certificate that comes back from a backup does not sign", async () => {
  const path = join(folder, "packages", "certs");
  {
    await using host = await open();
    await push(host, "1.0.0");
    await cp(path, join(folder, "backup"), { recursive: true });
    const old = (await signer(await download(host, "1.0.0"))) ?? "";
    await run("signing", "rotate", "--now", "--resign");
    expect((await run("signing", "retire", old)).code).toBe(0);
  }
  await cp(join(folder, "backup"), path, { recursive: true });
  await using host = await open();
  const answer = await push(host, "2.0.0");
  expect(answer.status).toBe(201);
  expect(answer.headers.get("x-nuget-warning")).toMatch(/Not signed: .* was retired/);
  expect(await signer(await download(host, "2.0.0"))).toBeUndefined();
  const resigned = await run("signing", "resign");
  expect(resigned.code).toBe(1);
  expect(resigned.stderr).toMatch(/was retired and never signs again/);
});

test("completes the facts of an older signed package after the push", async () => {
  await using host = await open();
  const unsigned = buildNupkg({ id: "Acme", version: "1.0.0" });
  const received = await signAsAuthor(unsigned, await createTestSigner({ as: "author" }));
  expect((await push(host, "1.0.0", received)).status).toBe(201);
  const readState = async () => {
    const { contentHash: hash, received: file, signed } = await provenance(host, "1.0.0");
    return { hash, digest: file.digest, signed: signed.map(({ digest }) => digest) };
  };
  await expect.poll(readState, { timeout: 20_000 }).toEqual({
    hash: createHash("sha512").update(unsigned).digest("base64"),
    digest: digests(received),
    signed: [digests(await download(host, "1.0.0"))],
  });
});

test("explains a failure in words", async () => {
  expect(await run("signing", "list")).toMatchObject({
    code: 0,
    stderr: "Nothing was signed yet.",
  });
  expect((await run("signing", "retire", "ab")).stderr).toMatch(/^There is no certificate ab\./);
  expect((await run("signing", "resign", "--limit", "0")).stderr).toMatch(
    /^--limit must be a whole number/,
  );
  const off = await run("signing", "rotate", "--Signing:Mode=");
  expect(off).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Signing is off/) as string,
  });
});

test("reports a lost key ring at start", async () => {
  const lines: string[] = [];
  const log = createLog({ level: "Warning", format: "Json" }, (line) => lines.push(line));
  const start = async () => {
    const { config } = loadConfig({ env: settings(), workingFolder: folder });
    await using host = await openRegistry(config, { log });
    await push(host, `1.0.${lines.length}`);
  };
  await start();
  await start();
  expect(lines.join("")).not.toContain("key ring");
  await rm(join(folder, "dataprotection-keys"), { recursive: true });
  await start();
  expect(lines.join("")).toMatch(/dataprotection-keys held no key, so a new one was made/);
});
