import { createHash, X509Certificate } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { packageBytesOf, verifyPackage, writePfx } from "@sealhouse/repo-signing";
import type { TestCredential } from "@sealhouse/repo-signing/testing";
import { createTestCredential, testRootCertificate } from "@sealhouse/repo-signing/testing";
import { describe, expect, test } from "vitest";
import { createLog } from "../src/log.ts";
import { openRegistry } from "../src/registry.ts";
import { loadConfig } from "../src/settings/load.ts";
import type { Ran } from "../src/testing/index.ts";
import { spawnCli, runInProcess, spawnHost } from "../src/testing/index.ts";
import { openFolder, run } from "./clients/client.ts";
import { readPage, textsOf } from "./manual-page.ts";

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const CREDENTIAL = await createTestCredential();
const ROOT = await testRootCertificate();
const STORED = "Signing__StoredCertificate__";
const MODE = { Signing__Mode: "StoredCertificate", ASPNETCORE_URLS: "http://127.0.0.1:0" };

/** PEM files as an operator has them. */
async function writePem(folder: string, { keyPem, certificatePem, issuersPem }: TestCredential) {
  await writeFile(join(folder, "key.pem"), keyPem);
  await writeFile(join(folder, "feed.pem"), certificatePem);
  await writeFile(join(folder, "chain.pem"), certificatePem + issuersPem);
}

async function makePfx(folder: string, ...options: readonly string[]): Promise<void> {
  const input = ["-inkey", "key.pem", "-in", "chain.pem", "-passout", "pass:hush"];
  const made = ["pkcs12", "-export", "-out", "feed.pfx", ...input, ...options];
  const { code, output } = await run("openssl", made, { cwd: folder });
  if (code !== 0) throw new Error(output);
}

type Fetching = { fetch(path: string, init?: RequestInit): Promise<Response> };

async function push(host: Fetching, token: string, id: string): Promise<Response> {
  return host.fetch("/api/v2/package/", {
    method: "PUT",
    headers: { "x-nuget-apikey": token },
    body: buildNupkg({ id, version: "1.0.0", files: { "a.txt": "a" } }),
  });
}

/** Result of our verifier for the served package. */
async function served(host: Fetching, id: string) {
  const name = id.toLowerCase();
  const answer = await host.fetch(`/v3/package/${name}/1.0.0/${name}.1.0.0.nupkg`);
  if (answer.status !== 200) return answer.status;
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const { valid, signer } = await verifyPackage(packageBytesOf(bytes), {
    roots: [ROOT],
    timestampRoots: [ROOT],
    now: new Date(),
  });
  return { valid, fingerprint: signer?.fingerprint };
}

const fingerprintOf = ({ chain: [der = new Uint8Array()] }: TestCredential) =>
  createHash("sha256").update(der).digest("hex");

describe("a host with a certificate that its operator brings", () => {
  test.each([
    ["a PFX file of today", [], { FilePath: "feed.pfx", Password: "hush" }],
    ["an old PFX file", ["-legacy"], { FilePath: "feed.pfx", Password: "hush" }],
    ["a PEM pair", undefined, { FilePath: "chain.pem", KeyPath: "key.pem" }],
    ["an encrypted PEM key", "key", { FilePath: "chain.pem", KeyPath: "enc.pem", Password: "x" }],
  ])("signs with %s", async (_name, pfx, own) => {
    await using folder = await openFolder();
    await writePem(folder.path, CREDENTIAL);
    if (Array.isArray(pfx)) await makePfx(folder.path, ...pfx);
    const encrypt = ["pkcs8", "-topk8", "-in", "key.pem", "-out", "enc.pem", "-passout", "pass:x"];
    if (pfx === "key") await run("openssl", encrypt, { cwd: folder.path });
    const settings = Object.entries(own).map(([key, text]) => [STORED + key, text]);
    const env = { ...MODE, ...Object.fromEntries(settings) };
    await using host = await spawnHost({ folder: folder.path, env });
    expect(host.output()).toMatch(/packages are signed with this certificate/);
    const token = await host.makeToken({ scopes: "read,write" });
    expect((await push(host, token, "Acme.Stored")).status).toBe(201);
    const fingerprint = fingerprintOf(CREDENTIAL);
    expect(await served(host, "Acme.Stored")).toEqual({ valid: true, fingerprint });
    expect(await listed(host)).toEqual([fingerprint]);
    const list = await host.cli("signing", "list", "--json");
    expect(JSON.parse(list.stdout)).toMatchObject([
      { fingerprint, firstUsedAt: expect.stringContaining("T"), active: true },
    ]);
  });

  test("finds it in the certificate store of .NET by its thumbprint", async () => {
    await using folder = await openFolder();
    const { fingerprint: thumbprint } = new X509Certificate(CREDENTIAL.certificatePem);
    const hex = thumbprint.replaceAll(":", "");
    const store = join(folder.path, ".dotnet", "corefx", "cryptography", "x509stores", "my");
    await mkdir(store, { recursive: true });
    await writeFile(join(store, `${hex}.pfx`), await writePfx(CREDENTIAL, ""));
    const env = {
      ...MODE,
      HOME: folder.path,
      [`${STORED}Thumbprint`]: thumbprint,
      [`${STORED}StoreName`]: "My",
      [`${STORED}StoreLocation`]: "CurrentUser",
    };
    await using host = await spawnHost({ folder: folder.path, env });
    const token = await host.makeToken({ scopes: "read,write" });
    expect((await push(host, token, "Acme.Found")).status).toBe(201);
    expect(await served(host, "Acme.Found")).toMatchObject({ valid: true });
  });
});

async function listed(host: Fetching): Promise<readonly string[]> {
  const index = (await (await host.fetch("/v3/repository-signatures/index.json")).json()) as {
    signingCertificates: { fingerprints: Record<string, string> }[];
  };
  return index.signingCertificates.flatMap(({ fingerprints }) => Object.values(fingerprints));
}

/** A registry in this process, whose clock can be moved. */
async function openClocked(folder: string, own: Record<string, string>) {
  const env = { ...MODE, ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: folder, ...own };
  const { code, stdout } = await spawnCli(
    ["token", "create", "--name", "t", "--scopes", "read,write"],
    { folder, env },
  );
  if (code !== 0) throw new Error("no token");
  const clock = { ahead: 0 };
  const lines: string[] = [];
  const registry = await openRegistry(loadConfig({ env, workingFolder: folder }).config, {
    log: createLog({ level: "Information", format: "Json" }, (line) => lines.push(line)),
    now: () => new Date(Date.now() + clock.ahead),
  });
  const host: Fetching = {
    fetch: (path, init) => registry.fetch(new Request(`http://localhost${path}`, init)),
  };
  return { registry, clock, lines, host, token: stdout.trim() };
}

describe("a certificate that is replaced", () => {
  test("in a file: before the next push; a file that does not do changes nothing", async () => {
    await using folder = await openFolder();
    const path = join(folder.path, "feed.pem");
    const replace = async (content: string) => {
      await writeFile(`${path}.new`, content);
      await rename(`${path}.new`, path);
    };
    const whole = ({ keyPem, certificatePem, issuersPem }: TestCredential) =>
      keyPem + certificatePem + issuersPem;
    await replace(whole(CREDENTIAL));
    const opened = await openClocked(folder.path, { [`${STORED}FilePath`]: path });
    await using _ = opened.registry;
    const { host, token, lines } = opened;
    const pushed = async (id: string) => {
      expect((await push(host, token, id)).status).toBe(201);
      return served(host, id);
    };
    expect(await pushed("Acme.A")).toMatchObject({ fingerprint: fingerprintOf(CREDENTIAL) });

    const next = await createTestCredential({ subject: "CN=Next" });
    await replace(whole(next));
    const fingerprint = fingerprintOf(next);
    expect(await pushed("Acme.B")).toEqual({ valid: true, fingerprint });

    const expired = await createTestCredential({ notAfter: new Date(Date.now() - MINUTE_MS) });
    for (const bad of ["half a fi", whole(expired)]) {
      await replace(bad);
      expect(await pushed(`Acme.C${bad.length}`)).toEqual({ valid: true, fingerprint });
    }
    const warnings = lines.filter((line) =>
      line.includes("could not check the signing certificate for changes"),
    );
    expect(warnings).toEqual([
      expect.stringMatching(/feed\.pem: .*it is damaged/),
      expect.stringMatching(/signing certificate CN=.* ends on/),
    ]);
    const readNotices = () =>
      lines.filter((line) => line.includes("packages are signed with this"));
    await expect.poll(readNotices).toHaveLength(2);
    // No client had seen the new certificate before it signed.
    const unlisted = lines.filter((line) => line.includes("was not listed for an hour"));
    expect(unlisted).toEqual([expect.stringContaining(fingerprint)]);
  });

  test("in the storage: within a minute", async () => {
    await using folder = await openFolder();
    const place = join(folder.path, "packages", "certs");
    await mkdir(place, { recursive: true });
    const store = (credential: TestCredential) =>
      writeFile(
        join(place, "feed.pem"),
        credential.keyPem + credential.certificatePem + credential.issuersPem,
      );
    await store(CREDENTIAL);
    const opened = await openClocked(folder.path, { [`${STORED}FilePath`]: "certs/feed.pem" });
    await using _ = opened.registry;
    const { host, token, clock } = opened;
    await push(host, token, "Acme.A");
    const next = await createTestCredential({ subject: "CN=Next in storage" });
    await store(next);
    clock.ahead = MINUTE_MS;
    await push(host, token, "Acme.B");
    expect(await served(host, "Acme.A")).toMatchObject({ fingerprint: fingerprintOf(CREDENTIAL) });
    expect(await served(host, "Acme.B")).toMatchObject({ fingerprint: fingerprintOf(next) });
  });
});

test("from five minutes before its end nothing is stored, until a new one is there", async () => {
  await using folder = await openFolder();
  const hour = await createTestCredential({ notAfter: new Date(Date.now() + 60 * MINUTE_MS) });
  await writePem(folder.path, hour);
  const files = { FilePath: "chain.pem", KeyPath: "key.pem" };
  const settings = Object.entries(files).map(([key, name]) => [
    STORED + key,
    join(folder.path, name),
  ]);
  const opened = await openClocked(folder.path, Object.fromEntries(settings));
  await using _ = opened.registry;
  const { host, token, clock, lines } = opened;
  expect(lines.join("\n")).toMatch(/the signing certificate expires in 0 days; install a new one/);
  clock.ahead = 54 * MINUTE_MS;
  expect((await push(host, token, "Acme.Early")).status).toBe(201);
  for (const minutes of [55, 61]) {
    clock.ahead = minutes * MINUTE_MS;
    const refused = await push(host, token, "Acme.Late");
    expect(refused.status).toBe(400);
    expect(refused.headers.get("retry-after")).toBe(null);
    const reason = /^.*signing certificate CN=.* ends on .*Install a new one/;
    expect(refused.headers.get("x-nuget-warning")).toMatch(reason);
    expect(await served(host, "Acme.Late")).toBe(404);
  }
  await writePem(folder.path, CREDENTIAL);
  expect((await push(host, token, "Acme.Late")).status).toBe(201);
  expect(await served(host, "Acme.Late")).toMatchObject({ valid: true });
});

const MADE: readonly string[] = ["feed.pem", "feed.pfx", "broken.pfx"];

/** In this process, which is much faster. Were the host to start, it would end at once, with 0. */
function startRefused(folder: string, own: Readonly<Record<string, string>>): Promise<Ran> {
  const env = { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: folder, ...MODE, ...own };
  return runInProcess(["serve"], { folder, env, stop: AbortSignal.abort() });
}

test.each([
  ["has expired", { notAfter: new Date(Date.now() - DAY_MS) }, /CN=.* ends on .*Install a new/],
  ["expires in minutes", { notAfter: new Date(Date.now() + 4 * MINUTE_MS) }, /ends on .*Install/],
  ["begins tomorrow", { notBefore: new Date(Date.now() + DAY_MS) }, /\(NU3017\)/],
])("a host whose certificate %s starts, and signs once it has another", async (...row) => {
  const [, options, reason] = row;
  await using folder = await openFolder();
  const path = join(folder.path, "feed.pem");
  const replace = async ({ keyPem, certificatePem, issuersPem }: TestCredential) => {
    await writeFile(`${path}.new`, keyPem + certificatePem + issuersPem);
    await rename(`${path}.new`, path);
  };
  await replace(await createTestCredential(options));
  const { registry, host, token, lines } = await openClocked(folder.path, {
    [`${STORED}FilePath`]: path,
  });
  await using _ = registry;
  expect((await host.fetch("/npm/-/ping")).status).toBe(200);
  for (const id of ["Acme.A", "Acme.B"]) {
    const refused = await push(host, token, id);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([400, null]);
    expect(refused.headers.get("x-nuget-warning")).toMatch(reason);
  }
  const warnings = lines.filter((line) => line.includes("packages cannot be signed"));
  expect(warnings).toEqual([expect.stringMatching(reason)]);
  expect(lines.join("")).not.toContain('"stack"');
  await replace(CREDENTIAL);
  expect((await push(host, token, "Acme.A")).status).toBe(201);
  expect(await served(host, "Acme.A")).toEqual({
    valid: true,
    fingerprint: fingerprintOf(CREDENTIAL),
  });
});

test("lists the next certificate for an hour, then signs with it, even after a restart", async () => {
  await using folder = await openFolder();
  const next = await createTestCredential({ subject: "CN=Next" });
  const write = async (name: string, credential: TestCredential) => {
    const path = join(folder.path, name);
    await writeFile(path, credential.keyPem + credential.certificatePem + credential.issuersPem);
    return path;
  };
  const own = {
    [`${STORED}FilePath`]: await write("feed.pem", CREDENTIAL),
    [`${STORED}NextFilePath`]: await write("next.pem", next),
  };
  const [old, successor] = [fingerprintOf(CREDENTIAL), fingerprintOf(next)];
  {
    const { registry, host, token, clock } = await openClocked(folder.path, own);
    await using _ = registry;
    await push(host, token, "Acme.A");
    expect(await served(host, "Acme.A")).toMatchObject({ fingerprint: old });
    expect(await listed(host)).toEqual([old, successor]);
    clock.ahead = 59 * MINUTE_MS;
    await push(host, token, "Acme.B");
    expect(await served(host, "Acme.B")).toMatchObject({ fingerprint: old });
    clock.ahead = 61 * MINUTE_MS;
    await push(host, token, "Acme.C");
    expect(await served(host, "Acme.C")).toMatchObject({ fingerprint: successor });
  }
  const restarted = await openClocked(folder.path, own);
  await using _ = restarted.registry;
  restarted.clock.ahead = 62 * MINUTE_MS;
  await push(restarted.host, restarted.token, "Acme.D");
  expect(await served(restarted.host, "Acme.D")).toMatchObject({ fingerprint: successor });
  const warnings = restarted.lines.filter((line) => line.includes("NU3034"));
  expect(warnings).toEqual([]);
});

describe("a host that is misconfigured does not start", () => {
  test.each([
    ["is for servers", { usage: "1.3.6.1.5.5.7.3.1" }, /does not allow code signing \(NU3012\)/],
    ["is for ever", { usage: "1.3.6.1.4.1.311.10.3.13" }, /lifetime signing usage \(NU3015\)/],
  ])("when the certificate %s", async (_name, options, reason) => {
    await using folder = await openFolder();
    await writePem(folder.path, await createTestCredential(options));
    const [FilePath, KeyPath] = [join(folder.path, "feed.pem"), join(folder.path, "key.pem")];
    const own = { [`${STORED}FilePath`]: FilePath, [`${STORED}KeyPath`]: KeyPath };
    const { code, stderr } = await startRefused(folder.path, own);
    expect(stderr).toMatch(/^The host cannot sign packages: Signing__StoredCertificate: /m);
    expect(stderr).toMatch(reason);
    expect(code).toBe(78);
  });

  test.each([
    [
      "no file",
      { FilePath: "none.pfx" },
      /Signing__StoredCertificate__FilePath: Certificate not found: .*\/none.pfx and none.pfx in the/,
    ],
    ["an absolute path", { FilePath: "/no/x.pfx" }, /not found: looked for the file \/no\/x.pfx\./],
    [
      "no key file",
      { FilePath: "feed.pem", KeyPath: "/no/key.pem" },
      /Signing__StoredCertificate__KeyPath: Certificate not found: .*\/no\/key.pem/,
    ],
    [
      "no key in the key file",
      { FilePath: "feed.pem", KeyPath: "broken.pfx" },
      /Signing__StoredCertificate__KeyPath: .*broken.pfx: .*holds no private key/,
    ],
    [
      "a wrong password",
      { FilePath: "feed.pfx", Password: "x" },
      /Signing__StoredCertificate__Password: .*feed.pfx: .*does not open it/,
    ],
    [
      "no password",
      { FilePath: "feed.pfx" },
      /Signing__StoredCertificate__Password: .*feed.pfx: .*needs a password, and none is set/,
    ],
    ["a broken file", { FilePath: "broken.pfx" }, /broken.pfx: .*it is damaged/],
    [
      "a thumbprint that is in no store",
      { Thumbprint: "0".repeat(40), StoreName: "My", StoreLocation: "CurrentUser" },
      /StoredCertificate__Thumbprint: Certificate not found: 0{40} in CurrentUser\\My; looked in .*x509stores/,
    ],
    [
      "a store that only Windows has",
      { Thumbprint: "0".repeat(40), StoreName: "My", StoreLocation: "LocalMachine" },
      /Signing__StoredCertificate__StoreLocation: .*only Windows keeps keys in LocalMachine/,
    ],
  ])("when there is %s", async (_name, own, reason) => {
    await using folder = await openFolder();
    await writePem(folder.path, CREDENTIAL);
    await makePfx(folder.path);
    await writeFile(join(folder.path, "broken.pfx"), Buffer.alloc(100, 0x30));
    const settings = Object.entries(own).map(([key, text]) => [
      STORED + key,
      MADE.includes(text) ? join(folder.path, text) : text,
    ]);
    const { code, stderr } = await startRefused(folder.path, Object.fromEntries(settings));
    expect(stderr).toMatch(reason);
    expect(stderr).not.toContain("    at ");
    expect(code).toBe(78);
  });
});

test("a wrong password names the variable that Signing__CertificatePasswordSecret names", async () => {
  await using folder = await openFolder();
  await writePem(folder.path, CREDENTIAL);
  await makePfx(folder.path);
  const { code, stderr } = await startRefused(folder.path, {
    [`${STORED}FilePath`]: join(folder.path, "feed.pfx"),
    Signing__CertificatePasswordSecret: "FEED_PASSWORD",
    FEED_PASSWORD: "x",
  });
  expect(stderr).toMatch(/sign packages: FEED_PASSWORD: .*feed.pfx: .*does not open it/);
  expect(code).toBe(78);
});

test("docs/signing/certificates.md and stored-certificate.md, followed line by line", async () => {
  await using folder = await openFolder();
  const shell = async (script = "") => {
    const { code, output } = await run("sh", ["-ec", script], { cwd: folder.path });
    if (code !== 0) throw new Error(`${script}\n${output}`);
  };
  const [authority, issue, request] = textsOf(await readPage("certificates.md"), "sh");
  for (const step of [authority, request, issue]) await shell(step);
  const [toPfx] = textsOf(await readPage("stored-certificate.md"), "sh");
  await shell(toPfx);
  const [pfx = "", pem = "", store = ""] = textsOf(await readPage("stored-certificate.md"), "ini");
  const { fingerprint } = new X509Certificate(await readFile(join(folder.path, "leaf.pem")));
  const thumbprint = fingerprint.replaceAll(":", "");
  const stores = ".dotnet/corefx/cryptography/x509stores/my";
  await shell(
    `mkdir -p ${stores} && openssl pkcs12 -export -inkey feed.key -in feed.pem -passout pass: ` +
      `-out ${stores}/${thumbprint}.pfx`,
  );
  for (const settings of [pfx, pem, store.replace(/<.*>/, thumbprint)]) {
    const lines = settings.trim().split("\n");
    const own = lines.map((line) => [line.replace(/=.*/, ""), line.replace(/^.*?=/, "")]);
    const env = { FEED_PFX_PASSWORD: "change-me", HOME: folder.path, ...Object.fromEntries(own) };
    await using host = await spawnHost({ folder: folder.path, env });
    expect(host.output()).toMatch(/"subject":"CN=Packages of Acme, O=Acme".*are signed with/);
  }
});
