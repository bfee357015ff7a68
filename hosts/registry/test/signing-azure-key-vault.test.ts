import { createHash, X509Certificate } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pemOf, testRootCertificate } from "@sealhouse/repo-signing/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  appServiceEnvironment,
  makeVersion,
  openVaultWithCertificate,
  settingsFor,
} from "../../../packages/signing-azure-key-vault/src/testing/index.ts";
import { spawnCli, spawnHost } from "../src/testing/index.ts";
import { openFolder } from "./clients/client.ts";
import { parseIni, readPage, textsOf } from "./manual-page.ts";
import { blobsIn, fileOf, push, verified } from "./pushed-package.ts";

type VersionInVault = Awaited<ReturnType<typeof makeVersion>>;

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

const root = await testRootCertificate();
const vault = opened.use(await openVaultWithCertificate());
const folder = opened.use(await openFolder());
const trusted = join(folder.path, "authority.pem");
beforeAll(() => writeFile(trusted, pemOf(root)));
afterEach(() => vault.troubles.clear());

/** The stand-in speaks TLS with a certificate that only this host trusts. */
const azure = {
  ...settingsFor(vault),
  Signing__Mode: "AzureKeyVault",
  Signing__TimestampServerUrl: "",
  NODE_EXTRA_CA_CERTS: trusted,
};

test("signs a pushed package in the vault, and verifies it", async () => {
  await using host = await spawnHost({ env: azure });
  expect((await push(host, "Acme.Vault")).status).toBe(201);
  expect(await verified(host, "acme.vault", root)).toMatchObject({
    valid: true,
    signatureType: "Repository",
    signer: { fingerprint: fingerprintOf(versionAt(0)) },
  });
  const index = await (await host.fetch("/v3/repository-signatures/index.json")).json();
  expect(JSON.stringify(index)).toContain(fingerprintOf(versionAt(0)));
  for (const secret of [vault.application.clientSecret, "Bearer token-"]) {
    expect(host.output()).not.toContain(secret);
  }
});

test("signs with a new version of the certificate after a restart, unless a setting pins one", async () => {
  await using keptFolder = await openFolder();
  const first = versionAt(0);
  {
    await using host = await spawnHost({ folder: keptFolder.path, env: azure });
    expect((await push(host, "Acme.Old")).status).toBe(201);
  }
  const second = await makeVersion();
  vault.certificates.set("feed", [first, second]);
  {
    await using host = await spawnHost({ folder: keptFolder.path, env: azure });
    expect((await push(host, "Acme.New")).status).toBe(201);
    const signer = (version: VersionInVault) => ({
      valid: true,
      signer: { fingerprint: fingerprintOf(version) },
    });
    expect(await verified(host, "acme.old", root)).toMatchObject(signer(first));
    expect(await verified(host, "acme.new", root)).toMatchObject(signer(second));
  }
  const Signing__AzureKeyVault__CertificateVersion = first.version;
  const pinned = { ...azure, Signing__AzureKeyVault__CertificateVersion };
  await using host = await spawnHost({ folder: keptFolder.path, env: pinned });
  expect((await push(host, "Acme.Pinned")).status).toBe(201);
  expect(await verified(host, "acme.pinned", root)).toMatchObject({
    signer: { fingerprint: fingerprintOf(first) },
  });
});

test("stores nothing while the vault is unavailable, and sends Retry-After", async () => {
  await using host = await spawnHost({ env: azure });
  const token = await host.makeToken({ scopes: "read,write" });
  for (const trouble of [
    { type: "status", status: 503 },
    { type: "status", status: 429, retryAfter: "1" },
    { type: "cut" },
  ] as const) {
    vault.troubles.set("keys/sign", trouble);
    const refused = await push(host, "Acme.Later", token);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("30");
    expect(refused.headers.get("x-nuget-warning")).toMatch(/could not sign with the key/);
  }
  const message = "The caller has no keys sign permission on the vault.";
  vault.troubles.set("keys/sign", { type: "denied", inner: "AccessDenied", message });
  const denied = await push(host, "Acme.Later", token);
  expect([denied.status, denied.headers.get("retry-after")]).toEqual([400, null]);
  expect(await denied.text()).toContain("lacks the permission keys/sign");
  vault.troubles.clear();
  expect((await host.fetch(fileOf("acme.later"))).status).toBe(404);
  expect(await blobsIn(host.folder)).toEqual([]);

  expect((await push(host, "Acme.Later", token)).status).toBe(201);
  expect(await blobsIn(host.folder)).toHaveLength(1);
  expect(await verified(host, "acme.later", root)).toMatchObject({ valid: true });
});

test.each([
  [
    "an empty section",
    { VaultUri: "", CertificateName: "" },
    /VaultUri: is required.*CertificateName: is required/s,
  ],
  [
    "an application without its parts",
    { TenantId: "", ClientId: "", ClientSecret: "" },
    /TenantId: is required .*__ClientId: is required .*__ClientSecret: or .*ConfigurationKey/,
  ],
  [
    "a secret that nothing uses",
    { AuthenticationMode: "ManagedIdentity" },
    /__ClientSecret: is not used while .*AuthenticationMode is ManagedIdentity/,
  ],
  [
    "an unknown mode of authentication",
    { AuthenticationMode: "Password" },
    /__AuthenticationMode: "Password" is not allowed/,
  ],
  [
    "a wrong secret",
    { ClientSecret: "wrong" },
    /Signing__AzureKeyVault: .*AADSTS7000215: Invalid client secret/,
  ],
  [
    "a name that is not in the vault",
    { CertificateName: "other" },
    /Signing__AzureKeyVault: .*certificate other .*not there/,
  ],
])("%s stops the start and names the setting to correct", async (_what, changes, words) => {
  await using own = await openFolder();
  const env = { ...azure, ASPNETCORE_URLS: "http://127.0.0.1:0", ...prefixed(changes) };
  const { code, stdout, stderr } = await spawnCli(["serve"], { folder: own.path, env });
  expect(`${stdout}${stderr}`).toMatch(words);
  expect(code).toBe(78);
});

test.each([
  ["a managed identity", ["ini"]],
  ["an application", ["ini", "ini application", "ini chain"]],
])("docs/signing/azure-key-vault.md, run literally, signs with %s", async (_who, blocks) => {
  await using own = await openFolder();
  const page = await readPage("azure-key-vault.md");
  const settings = blocks.flatMap((name) => textsOf(page, name)).join("\n");
  const policy = /^cat > policy\.json <<'END'\n(.*?)^END$/ms.exec(textsOf(page, "sh").join(""));
  expect(JSON.parse(policy?.[1] ?? "")).toMatchObject({
    keyProperties: { exportable: false, keyType: "RSA-HSM" },
  });
  await writeFile(join(own.path, "issuers.pem"), pemOf(root));
  await using host = await spawnHost({
    folder: own.path,
    env: {
      ...parseIni(settings),
      ...appServiceEnvironment(vault.identityUrl),
      FEED_VAULT_SECRET: vault.application.clientSecret,
      // Where the stand-in is not the public cloud.
      Signing__AzureKeyVault__VaultUri: vault.url,
      Signing__AzureKeyVault__AuthorityHost: vault.url,
      Signing__AzureKeyVault__VerifyAuthority: "false",
      Signing__AzureKeyVault__VerifyChallengeResource: "false",
      Signing__TimestampServerUrl: "",
      NODE_EXTRA_CA_CERTS: trusted,
    },
  });
  expect((await push(host, "Acme.Documented")).status).toBe(201);
  expect(await verified(host, "acme.documented", root)).toMatchObject({ valid: true });
});

function versionAt(index: number): VersionInVault {
  const version = vault.certificates.get("feed")?.[index];
  if (!version) throw new Error("the vault is empty");
  return version;
}

function fingerprintOf({ certificate }: VersionInVault): string {
  return createHash("sha256")
    .update(new X509Certificate(certificate ?? new Uint8Array()).raw)
    .digest("hex");
}

function prefixed(settings: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(settings);
  return Object.fromEntries(entries.map(([key, text]) => [`Signing__AzureKeyVault__${key}`, text]));
}
