import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  createTestServerCertificate,
  pemOf,
  testRootCertificate,
} from "@sealhouse/repo-signing/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  certificateOf,
  openStandIn,
  TEST_INSTANCE,
  testVersion,
} from "../../../packages/signing-google/src/testing/index.ts";
import type { KmsStatus } from "../../../packages/signing-google/src/testing/index.ts";
import { spawnCli, spawnHost } from "../src/testing/index.ts";
import { openFolder, run } from "./clients/client.ts";
import { expectDocumentedSignature, makeDocumentedCertificate } from "./documented-certificate.ts";
import { parseIni, readPage, textsOf } from "./manual-page.ts";
import { blobsIn, fileOf, push, verified } from "./pushed-package.ts";

const CLEAN_UP = new AsyncDisposableStack();
afterAll(() => CLEAN_UP.disposeAsync());

const ROOT = await testRootCertificate();
const FOLDER = CLEAN_UP.use(await openFolder());
const TRUSTED = join(FOLDER.path, "authority.pem");
const VERSION = testVersion({ algorithm: "RSA_SIGN_PKCS1_3072_SHA256" });
const IN_INSTANCE = testVersion({ protectionLevel: "HSM_SINGLE_TENANT" });
const tls = await createTestServerCertificate();
const kms = CLEAN_UP.use(await openStandIn({ versions: [VERSION], tls }));
const hsm = CLEAN_UP.use(await openStandIn({ versions: [IN_INSTANCE], transport: "rest", tls }));
hsm.backend = TEST_INSTANCE;
beforeAll(async () => {
  await writeFile(TRUSTED, pemOf(ROOT));
  await writeFile(join(FOLDER.path, "account.json"), serviceAccount());
});
afterEach(() => {
  kms.misbehaviour = undefined;
});

/** The stand-ins speak TLS with certificates that only this host trusts. */
const TRUST = {
  NODE_EXTRA_CA_CERTS: TRUSTED,
  GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: TRUSTED,
  Signing__TimestampServerUrl: "",
};
const GCP_KMS = {
  ...TRUST,
  Signing__Mode: "GcpKms",
  ...inSection("GcpKms", {
    ProjectId: "acme",
    Location: "europe-west1",
    KeyRing: "feeds",
    KeyName: "nuget",
    CertificatePem: await certificateOf(VERSION),
    ServiceAccountKeyPathConfigurationKey: "FEED_ACCOUNT",
    ...kms.settings,
  }),
  FEED_ACCOUNT: join(FOLDER.path, "account.json"),
  ASPNETCORE_URLS: "http://127.0.0.1:0",
};

test.each([
  ["google-kms.md", "GcpKms", VERSION, kms],
  ["google-hsm.md", "GcpHsm", IN_INSTANCE, hsm],
] as const)(
  "docs/signing/%s, step by step, signs with %s",
  async (name, mode, version, service) => {
    await using folder = await openFolder();
    await makeCertificate(folder.path, version.key);
    await writeFile(join(folder.path, "feed-account.json"), serviceAccount());
    const page = await readPage(name);
    const isShown = page.some(({ text }) => text.includes("ServiceAccountKeyPath="));
    const account = isShown ? {} : { ServiceAccountKeyPath: "feed-account.json" };
    await using host = await spawnHost({
      folder: folder.path,
      env: {
        ...TRUST,
        ...parseIni(textsOf(page, "ini").join("")),
        ...inSection(mode, { ...service.settings, ...account }),
      },
    });
    await expectDocumentedSignature(host, folder.path);
    expect(service.calls.every(({ authorization }) => /^Bearer ./.test(authorization ?? ""))).toBe(
      true,
    );
    expect(host.output()).not.toMatch(/PRIVATE KEY|Bearer/);
  },
);

test("the key that the page about instances makes is one that the mode takes", async () => {
  const [text = ""] = textsOf(await readPage("google-hsm.md"), "sh").slice(-1);
  const key: unknown = JSON.parse(/<<'END'\n(.*?)^END$/ms.exec(text)?.[1] ?? "");
  expect(key).toEqual({
    purpose: "ASYMMETRIC_SIGN",
    versionTemplate: {
      algorithm: "RSA_SIGN_PKCS1_3072_SHA256",
      protectionLevel: IN_INSTANCE.protectionLevel,
    },
    cryptoKeyBackend: TEST_INSTANCE,
  });
});

test("requests a certificate with the key itself, before there is one", async () => {
  await using folder = await openFolder();
  const [line = ""] = textsOf(await readPage("google-kms.md"), "sh").filter((text) =>
    text.startsWith("sealhouse "),
  );
  const words = [...line.trim().matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2]);
  const env = { ...GCP_KMS, Signing__GcpKms__CertificatePem: "" };
  const outcome = await spawnCli(words.slice(1).map(String), { folder: folder.path, env });
  expect(outcome).toMatchObject({ code: 0 });
  const args = ["req", "-in", "feed.csr", "-noout", "-verify", "-subject", "-pubkey"];
  const { code, output } = await run("openssl", args, { cwd: folder.path });
  expect(output).toContain("verify OK");
  expect(output).toContain("Packages of Acme");
  expect(output).toContain(
    createPublicKey(VERSION.key).export({ type: "spki", format: "pem" }).toString(),
  );
  expect(code).toBe(0);
});

test("stores nothing while Cloud KMS is unavailable, and sends Retry-After", async () => {
  await using host = await spawnHost({ env: GCP_KMS });
  const token = await host.makeToken({ scopes: "read,write" });
  const fail = (status: KmsStatus, message: string) => {
    kms.misbehaviour = { on: "asymmetricSign", how: { status, message } };
  };
  fail("UNAVAILABLE", "the zone is down");
  const refused = await push(host, "Acme.Later", token);
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("30");
  expect(refused.headers.get("x-nuget-warning")).toMatch(/the zone is down \(UNAVAILABLE\)/);
  fail("FAILED_PRECONDITION", "it is not enabled");
  const disabled = await push(host, "Acme.Later", token);
  expect([disabled.status, disabled.headers.get("retry-after")]).toEqual([400, null]);
  expect(await disabled.text()).toMatch(/\(FAILED_PRECONDITION\)\. Enable the key version/);
  kms.misbehaviour = undefined;
  expect((await host.fetch(fileOf("acme.later"))).status).toBe(404);
  expect(await blobsIn(host.folder)).toEqual([]);
  expect((await push(host, "Acme.Later", token)).status).toBe(201);
  expect(await verified(host, "acme.later", ROOT)).toMatchObject({ valid: true });
});

test("a Cloud KMS that is gone is an outage, too", async () => {
  const own = await openStandIn({ versions: [VERSION], tls });
  const env = { ...GCP_KMS, ...inSection("GcpKms", own.settings) };
  await using host = await spawnHost({ env });
  const token = await host.makeToken({ scopes: "write" });
  expect((await push(host, "Acme.Before", token)).status).toBe(201);
  await own[Symbol.asyncDispose]();
  const refused = await push(host, "Acme.After", token);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
});

test("an absent Cloud KMS does not stop the start, and the host notices it later", async () => {
  const own = await openStandIn({ versions: [VERSION], tls });
  const settings = inSection("GcpKms", own.settings);
  await own[Symbol.asyncDispose]();
  await using host = await spawnHost({ env: { ...GCP_KMS, ...settings } });
  const refused = await push(host, "Acme.Out", await host.makeToken({ scopes: "write" }));
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
  expect((await host.fetch("/npm/-/ping")).status).toBe(200);
});

const nothing = ["ProjectId", "Location", "KeyRing", "KeyName", "CertificatePem"];
test.each([
  [
    "an empty section",
    "GcpKms",
    Object.fromEntries(nothing.map((name) => [name, ""])),
    [
      "Signing__GcpKms__ProjectId: is required",
      "Signing__GcpKms__Location: is required",
      "Signing__GcpKms__KeyRing: is required",
      "Signing__GcpKms__KeyName: is required",
      "Signing__GcpKms__CertificatePath: is required, or Signing__GcpKms__CertificatePem",
    ],
  ],
  [
    "an empty section of an instance",
    "GcpHsm",
    {},
    [
      ...["ProjectId", "Location", "ClusterName", "KeyRing", "KeyName"].map(
        (name) => `Signing__GcpHsm__${name}: is required`,
      ),
      "Signing__GcpHsm__CertificatePath: is required, or Signing__GcpHsm__CertificatePem",
    ],
  ],
  [
    "the certificate of another key",
    "GcpKms",
    { CertificatePem: await certificateOf(testVersion()) },
    ["Signing__GcpKms__CertificatePem: The certificate", "does not belong to the key version"],
  ],
  [
    "a key of another protection level",
    "GcpKms",
    { ProtectionLevel: "software" },
    ["Signing__GcpKms__ProtectionLevel: ", "has the protection level HSM, not SOFTWARE"],
  ],
])("%s stops the start with its keys", async (_what, mode, settings, messages) => {
  await using folder = await openFolder();
  const env = { ...GCP_KMS, Signing__Mode: mode, ...inSection(mode, settings) };
  const { code, stdout, stderr } = await spawnCli(["serve"], { folder: folder.path, env });
  for (const message of messages) expect(`${stdout}${stderr}`).toContain(message);
  expect(code).toBe(78);
});

function inSection(
  mode: string,
  settings: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`Signing__${mode}__${name}`, value]),
  );
}

function serviceAccount(): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return JSON.stringify({
    type: "service_account",
    client_email: "feed@acme.iam.gserviceaccount.com",
    private_key: privateKey.export({ format: "pem", type: "pkcs8" }),
  });
}

/** Runs the lines of the page that create the certificate, with a test authority. */
async function makeCertificate(folder: string, key: Parameters<typeof createPublicKey>[0]) {
  const pem = createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
  await writeFile(join(folder, "public.pem"), pem);
  const lines = textsOf(await readPage("google-kms.md"), "sh").filter((text) =>
    text.includes("get-public-key"),
  );
  expect(lines).toHaveLength(1);
  await makeDocumentedCertificate(folder, { name: "gcloud", script: GCLOUD }, lines);
}

/** A stand-in for Google's command line, as far as it prints a public key. */
const GCLOUD = `#!/bin/sh
set -e
test "$1 $2 $3 $4" = "kms keys versions get-public-key"
while [ "$1" != --output-file ]; do shift; done
cp public.pem "$2"
`;
