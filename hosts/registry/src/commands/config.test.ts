import { randomBytes, X509Certificate } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestCredential } from "@sealhouse/repo-signing/testing";
import { certificateRecordOf, SigningError } from "@sealhouse/repo-signing";
import { openDatabase } from "@sealhouse/database";
import { openKeyRing } from "@sealhouse/identity";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Extension } from "../extension.ts";
import { runInProcess } from "../testing/index.ts";

const STORED = "Signing__StoredCertificate__";
const PRODUCTION = {
  ASPNETCORE_ENVIRONMENT: "Production",
  Host__TokenHashPepper: "3f9c1d7be25a48069ec4d2a17b60f5839c1d7be25a48069e",
};

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-config-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** A key service that does what a test wants. */
function serviceOf(open: () => Promise<never>): Extension {
  return { name: "acme", signingModes: { AcmeVault: { settings: {}, open } } };
}

/** Ends with what refuses the start; a host that starts is stopped. */
function serve(own: Readonly<Record<string, string>>) {
  const env = {
    ASPNETCORE_ENVIRONMENT: "Development",
    ASPNETCORE_URLS: "http://127.0.0.1:0",
    Host__DataPath: folder,
    ...own,
  };
  return runInProcess(["serve"], { folder, env, stop: AbortSignal.timeout(20_000) });
}

function check(own: Readonly<Record<string, string>>, extensions: readonly Extension[] = []) {
  const env = { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: folder, ...own };
  return runInProcess(["config", "check"], { folder, env, extensions });
}

async function certificateOf(options: Parameters<typeof createTestCredential>[0]): Promise<string> {
  const { keyPem, certificatePem, issuersPem } = await createTestCredential(options);
  const path = join(folder, "feed.pem");
  await writeFile(path, keyPem + certificatePem + issuersPem);
  return path;
}

const HOUR_MS = 3_600_000;

test.each([
  ["good", {}, 0, /^The configuration for Development is valid\.$/],
  [
    "expired",
    { notAfter: new Date(Date.now() - HOUR_MS) },
    1,
    /^The host cannot sign packages: Signing__StoredCertificate: .* ends on .*The host starts/,
  ],
  ["for servers", { usage: "1.3.6.1.5.5.7.3.1" }, 78, /does not allow code signing \(NU3012\)/],
])("config check opens a stored certificate that is %s", async (_what, options, code, words) => {
  const ran = await check({
    Signing__Mode: "StoredCertificate",
    [`${STORED}FilePath`]: await certificateOf(options),
  });
  expect(ran.code).toBe(code);
  expect(ran.printed + ran.stderr).toMatch(words);
});

test.each([
  ["FilePath", 78, /Certificate not found: .*none\.pfx/],
  ["NextFilePath", 1, /Certificate not found: .*none\.pfx.*without the next certificate/],
])("config check looks for the file of %s", async (key, code, words) => {
  const own = { [`${STORED}FilePath`]: await certificateOf({}), [STORED + key]: "none.pfx" };
  const ran = await check({ Signing__Mode: "StoredCertificate", ...own });
  expect(ran.code).toBe(code);
  expect(ran.stderr).toMatch(words);
});

test.each([
  ["out", new Error("connect ECONNREFUSED"), 1],
  ["locked", new SigningError("signer", "The key is locked.", { remedy: "service" }), 1],
  ["misspelt", new SigningError("signer", "There is no such key."), 78],
])("config check asks the key service, whose key is %s", async (_what, error, code) => {
  const service = serviceOf(() => Promise.reject(error));
  const ran = await check({ Signing__Mode: "AcmeVault" }, [service]);
  expect(ran.code).toBe(code);
  expect(ran.stderr).toMatch(`Signing__AcmeVault: ${error.message}`);
  expect(ran.stderr).not.toContain("    at ");
});

test("config check waits for a silent key service for a limited time", async () => {
  const service = serviceOf(() => new Promise(() => undefined));
  const ran = await check({ Signing__Mode: "AcmeVault" }, [service]);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(
    /Signing__AcmeVault: There was no answer within 15 seconds.*The host starts/,
  );
}, 30_000);

test("config check warns about a key ring without a path, and one that is not there", async () => {
  const { code, stderr } = await check(PRODUCTION);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /Warning: Host__DataProtection__KeyPath is not set, so the key ring is in/,
  );
  expect(stderr).toMatch(/Warning: The key ring .*dataprotection-keys holds no key/);
  const own = await check({ ...PRODUCTION, Host__DataProtection__KeyPath: join(folder, "keys") });
  expect(own.stderr).not.toContain("Host__DataProtection__KeyPath is not set");
  expect((await check({})).stderr).toBe("");
});

const KEYS = "Host__DataProtection__";

test("config check lists the keys of the key ring", async () => {
  const path = join(folder, "keys");
  const own = { [`${KEYS}KeyPath`]: path };
  const key = Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64");
  const now = () => new Date(Date.now() - 100 * 24 * HOUR_MS);
  const ring = await openKeyRing({
    path,
    random: randomBytes,
    now,
    wrappingKey: { type: "value", value: key },
    applicationName: "Sealhouse",
  });
  const [first] = ring.keys();
  const { code, printed } = await check({ ...own, [`${KEYS}KeyEncryptionKey`]: key });
  expect(code).toBe(0);
  const day = now().toISOString().slice(0, 10);
  expect(printed).toContain(
    `key 1  ${first?.id}  created ${day}, 100 days ago  encrypted file  encrypts and decrypts`,
  );
});

test.each([
  ["without the key", {}, /^Host__DataProtection__KeyEncryptionKey is not set, and/],
  [
    "another key",
    { KeyEncryptionKey: Buffer.from("vutsrqponmlkjihgfedcba9876543210").toString("base64") },
    /^Host__DataProtection__KeyEncryptionKey is not the key that encrypted/,
  ],
  [
    "no file",
    { KeyEncryptionKeyPath: "/does/not/exist" },
    /^Host__DataProtection__KeyEncryptionKeyPath: cannot read the file/,
  ],
  ["a short key", { KeyEncryptionKey: "c2hvcnQ=" }, /KeyEncryptionKey: is not a random key/],
  [
    "both",
    { KeyEncryptionKey: "c2hvcnQ=", KeyEncryptionKeyPath: "key" },
    /KeyEncryptionKeyPath: is set in addition/,
  ],
])("config check and serve refuse encrypted key files with %s", async (_, values, words) => {
  const path = join(folder, "keys");
  const value = Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64");
  await openKeyRing({ path, random: randomBytes, wrappingKey: { type: "value", value } });
  const settings = { KeyPath: path, ...values };
  const own = Object.fromEntries(
    Object.entries(settings).map(([key, text]) => [`${KEYS}${key}`, text]),
  );
  const [checked, served] = [await check(own), await serve(own)];
  expect(checked.stderr).toMatch(words);
  expect([checked.code, served.code, served.stderr]).toEqual([78, 78, checked.stderr]);
  expect(await readdir(path)).toEqual(["00000001.key"]);
});

test("config check refuses a retired certificate with the text of serve", async () => {
  const filePath = await certificateOf({});
  const own = { Signing__Mode: "StoredCertificate", [`${STORED}FilePath`]: filePath };
  const facts = certificateRecordOf(new X509Certificate(await readFile(filePath)).raw);
  {
    const path = join(folder, "sealhouse.db");
    await using database = await openDatabase({ type: "Sqlite", path }, { migrate: true });
    await database.certificates.used(facts, new Date());
    expect((await check(own)).code).toBe(0);
    await database.certificates.retire(facts.fingerprint, { actor: "test" });
  }
  const [checked, served] = [await check(own), await serve(own)];
  expect(checked.stderr).toMatch(/^The host cannot sign packages: .* was retired and never signs/);
  expect([served.code, served.stderr]).toEqual([checked.code, checked.stderr]);
  expect(checked.code).toBe(78);
});

test("config check refuses a damaged key file with the text of serve", async () => {
  await mkdir(join(folder, "keys"));
  await writeFile(join(folder, "keys", "00000001.key"), "damaged", { mode: 0o600 });
  const own = { Host__DataProtection__KeyPath: join(folder, "keys") };
  const [checked, served] = [await check(own), await serve(own)];
  expect(checked.stderr).toMatch(
    /^.*00000001\.key does not contain a key\. Restore it from a backup/,
  );
  expect([served.code, served.stderr]).toEqual([checked.code, checked.stderr]);
  expect(checked.code).toBe(1);
  expect(checked.stderr).not.toContain("    at ");
});
