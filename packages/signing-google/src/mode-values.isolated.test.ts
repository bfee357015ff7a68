import { createVerify, generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import {
  createTestServerCertificate,
  pemOf,
  testRootCertificate,
} from "@sealhouse/repo-signing/testing";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { extension, googleSigning } from "./index.ts";
import { certificateOf, openMode, openStandIn } from "./testing/google-mode.ts";
import { testVersion } from "./testing/kms-answers.ts";

// gRPC reads it when it is loaded, and then trusts nothing else.
vi.hoisted(() => vi.stubEnv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", ""));

const DATA = Buffer.from("signed attributes");
const VERSION = testVersion();
const ACCOUNT = "feed@acme.iam.gserviceaccount.com";
const trusted = getCACertificates("default");
const account = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
let folder = "";
let accountFile = "";
let tls: { readonly key: string; readonly cert: string };
let certificate = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signing-google-"));
  accountFile = join(folder, "account.json");
  const content = {
    type: "service_account",
    project_id: "acme",
    private_key_id: "k1",
    private_key: account.privateKey,
    client_email: ACCOUNT,
    client_id: "1",
    token_uri: "https://localhost:1/never-asked",
  };
  await writeFile(accountFile, JSON.stringify(content));
  tls = await createTestServerCertificate();
  certificate = await certificateOf(VERSION);
  setDefaultCACertificates([...trusted, pemOf(await testRootCertificate())]);
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await rm(folder, { recursive: true });
});
afterEach(() => vi.unstubAllEnvs());

/** Who a bearer token says it is from, when that account signed it. */
function issuerOf(authorization: string | undefined): string {
  const [head = "", claims = "", signature = ""] = authorization?.slice(7).split(".") ?? [];
  const isSigned = createVerify("sha256")
    .update(`${head}.${claims}`)
    .verify(account.publicKey, signature, "base64url");
  if (!isSigned) throw new Error("not signed by the account");
  const { iss } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { iss: string };
  return iss;
}

test.each([
  ["a path", "grpc"],
  ["a path", "rest"],
  ["the name of a setting", "grpc"],
  ["application default credentials", "grpc"],
  ["application default credentials", "rest"],
] as const)("the service account of %s signs in over TLS and %s", async (way, transport) => {
  await using kms = await openStandIn({ transport, versions: [VERSION], tls });
  const isDefault = way === "application default credentials";
  vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", isDefault ? accountFile : "/missing/file.json");
  const settings = { ...kms.settings, CertificatePem: certificate };
  const direct = way === "a path" ? { ServiceAccountKeyPath: accountFile } : {};
  const pointed =
    way === "the name of a setting"
      ? {
          ServiceAccountKeyPath: "not-this-one.json",
          ServiceAccountKeyPathConfigurationKey: "FEED_ACCOUNT",
        }
      : {};
  const elsewhere = { FEED_ACCOUNT: accountFile };
  const all = { ...settings, ...direct, ...pointed };
  const signer = await openMode("GcpKms", all, { elsewhere }).opening;
  expect(await signer.sign(DATA)).toHaveLength(256);
  const issuers = kms.calls.map(({ authorization }) => issuerOf(authorization));
  expect(issuers).toEqual(Array.from({ length: 4 }, () => ACCOUNT));
  await signer[Symbol.asyncDispose]?.();
});

test.each(["grpc", "rest"] as const)(
  "an http address gets no credentials, over %s",
  async (wire) => {
    await using kms = await openStandIn({ transport: wire, versions: [VERSION] });
    const signer = await openMode("GcpKms", {
      ...kms.settings,
      CertificatePem: certificate,
      ServiceAccountKeyPath: accountFile,
    }).opening;
    await signer.sign(DATA);
    expect(kms.calls).toHaveLength(4);
    expect(kms.calls.every(({ authorization }) => authorization === undefined)).toBe(true);
    await signer[Symbol.asyncDispose]?.();
  },
);

test("reports missing credentials without an uncaught error", async () => {
  await using kms = await openStandIn({ versions: [VERSION], tls });
  vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", "/missing/file.json");
  const { opening } = openMode("GcpKms", { ...kms.settings, CertificatePem: certificate });
  await expect(opening).rejects.toThrow(
    /^There are no credentials for Google Cloud KMS: .*\/missing\/file\.json/,
  );
});

test.each<[string, Readonly<Record<string, string>>, string, RegExp]>([
  ["no certificate", { CertificatePem: "" }, "CertificatePath", /or Signing__GcpKms__Certificate/],
  ["no project", { ProjectId: " " }, "ProjectId", /is required/],
  ["a path for a name", { KeyName: "keyRings/feeds/x" }, "KeyName", /is not one name/],
  ["a word for a version", { KeyVersion: "newest" }, "KeyVersion", /"newest" is not a number/],
  [
    "a path in the address",
    { ServiceUrl: "https://kms.example/v1" },
    "ServiceUrl",
    /scheme, a host/,
  ],
  ["another scheme", { ServiceUrl: "ftp://kms.example" }, "ServiceUrl", /scheme, a host/],
  [
    "a missing key file",
    { ServiceAccountKeyPath: "/missing/key.json" },
    "ServiceAccountKeyPath",
    /\/missing\/key\.json cannot be read \(ENOENT\)/,
  ],
  [
    "a name of nothing",
    { ServiceAccountKeyPathConfigurationKey: "NOTHING" },
    "ServiceAccountKeyPathConfigurationKey",
    /no setting or environment variable named NOTHING/,
  ],
])("%s is reported with its key", async (_case, settings, name, message) => {
  const { opening } = openMode("GcpKms", { CertificatePem: certificate, ...settings });
  await expect(opening).rejects.toThrow(message);
  await expect(opening).rejects.toMatchObject({ key: `Signing__GcpKms__${name}` });
});

test.each([
  ["not JSON", "private_key: swordfish"],
  ["not an object", '"swordfish"'],
  ["of another kind", '{"type":"external_account","private_key":"swordfish"}'],
  [
    "with a key that is none",
    '{"type":"service_account","client_email":"a","private_key":"swordfish"}',
  ],
])("a key file that is %s is refused without a word of it", async (_case, content) => {
  const file = join(folder, "bad.json");
  await writeFile(file, content);
  const { opening } = openMode("GcpKms", {
    CertificatePem: certificate,
    ServiceAccountKeyPath: file,
  });
  await expect(opening).rejects.toThrow(/is not the JSON key of a service account/);
  await expect(opening).rejects.not.toThrow(/swordfish/);
});

test("exports one extension with both modes, and describes every setting", () => {
  expect(extension).toMatchObject({ name: "@sealhouse/signing-google" });
  expect(Object.keys(googleSigning().signingModes)).toEqual(["GcpKms", "GcpHsm"]);
  for (const [mode, { settings }] of Object.entries(extension.signingModes)) {
    for (const [key, { about }] of Object.entries(settings)) {
      expect(key).toMatch(new RegExp(`^Signing__${mode}__[A-Z]\\w+$`));
      expect(about).toMatch(/^[A-Z`].*\.$/);
    }
  }
});
