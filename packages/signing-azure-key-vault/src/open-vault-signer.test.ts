import {
  createRefreshingSigner,
  packageBytesOf,
  parseCertificate,
  verifyPackage,
} from "@sealhouse/repo-signing";
import type { Signer } from "@sealhouse/repo-signing";
import { pemOf, signedTestPackage, testRootCertificate } from "@sealhouse/repo-signing/testing";
import { beforeAll, expect, test, vi } from "vitest";
import { azureKeyVaultSigning, extension } from "./index.ts";
import { openVaultSigner } from "./open-vault-signer.ts";
import {
  contextWith,
  makeVersion,
  openVaultWithCertificate,
  settingsFor,
  trustStandIn,
} from "./testing/vault-with-certificate.ts";

beforeAll(trustStandIn);

async function signAndVerify(signer: Signer) {
  return verifyPackage(packageBytesOf(await signedTestPackage(signer)), {
    roots: [await testRootCertificate()],
    timestampRoots: "any",
    now: new Date(),
  });
}

const leafOf = (signer: Signer) => Buffer.from(signer.chain[0] ?? []);

test("the extension brings the mode AzureKeyVault", () => {
  expect(Object.keys(extension.signingModes)).toEqual(["AzureKeyVault"]);
  expect(azureKeyVaultSigning()).toEqual(extension);
});

test.each(["SHA256", "SHA384", "SHA512"] as const)(
  "a package is signed inside the vault with %s and verifies",
  async (hash) => {
    await using vault = await openVaultWithCertificate();
    const settings = { ...settingsFor(vault), Signing__AzureKeyVault__HashAlgorithm: hash };
    await using signer = await openVaultSigner(contextWith(settings));
    expect(signer.hash).toBe(hash);
    const verified = await signAndVerify(signer);
    expect(verified).toMatchObject({ valid: true });
    const [vaultVersion] = vault.certificates.get("feed") ?? [];
    expect(vault.requests).toEqual([
      "GET /certificates/feed/",
      `GET /keys/feed/${vaultVersion?.version}`,
      // Once for trial, once for the package.
      `POST /keys/feed/${vaultVersion?.version}/sign`,
      `POST /keys/feed/${vaultVersion?.version}/sign`,
    ]);
  },
);

test("one token serves a day's signatures, and only digests leave the host", async () => {
  await using vault = await openVaultWithCertificate();
  await using signer = await openVaultSigner(contextWith(settingsFor(vault)));
  const requestCount = vault.tokenRequests.length;
  await Promise.all(Array.from({ length: 20 }, () => signer.sign(Buffer.from("attributes"))));
  expect(vault.tokenRequests).toHaveLength(requestCount);
});

test("uses the latest version at the next opening, and keeps a pinned one", async () => {
  await using vault = await openVaultWithCertificate();
  const [first] = vault.certificates.get("feed") ?? [];
  if (!first) throw new Error("the vault is empty");
  const clock = { at: 0 };
  const createSigner = (changes: Record<string, string>) =>
    createRefreshingSigner({
      open: () => openVaultSigner(contextWith({ ...settingsFor(vault), ...changes })),
      reopenEveryMs: 1_000,
      now: () => new Date(clock.at),
      report: (error) => expect.unreachable(String(error)),
    });
  await using latest = createSigner({});
  await using pinned = createSigner({ Signing__AzureKeyVault__CertificateVersion: first.version });
  expect(leafOf(await latest.signer())).toEqual(first.certificate);
  expect(leafOf(await pinned.signer())).toEqual(first.certificate);
  const second = await makeVersion();
  vault.certificates.set("feed", [first, second]);
  clock.at = 1_000;
  await pinned.signer();
  await latest.signer();
  await vi.waitFor(async () =>
    expect(leafOf(await latest.signer())).toEqual(Buffer.from(second.certificate ?? [])),
  );
  const looks = () =>
    vault.requests.filter((request) => request === `GET /certificates/feed/${first.version}`);
  await vi.waitFor(() => expect(looks()).toHaveLength(2));
  expect(leafOf(await pinned.signer())).toEqual(first.certificate);
  expect(await signAndVerify(await latest.signer())).toMatchObject({ valid: true });
});

test("the issuers' certificates travel with the signature", async () => {
  await using vault = await openVaultWithCertificate();
  const root = await testRootCertificate();
  const [vaultVersion] = vault.certificates.get("feed") ?? [];
  const Signing__AzureKeyVault__ChainPem = pemOf(root) + pemOf(vaultVersion?.certificate ?? root);
  const context = contextWith({ ...settingsFor(vault), Signing__AzureKeyVault__ChainPem });
  await using signer = await openVaultSigner(context);
  expect(signer.chain.map((der) => parseCertificate(der).subject)).toEqual([
    "CN=Sealhouse Test Repository, O=Sealhouse Test",
    "CN=Sealhouse Test Root, O=Sealhouse Test",
  ]);
  expect(context.warnings).toEqual([]);
});

test("issuers that did not issue the certificate are pointed out", async () => {
  await using vault = await openVaultWithCertificate();
  const stranger = await makeVersion();
  const Signing__AzureKeyVault__ChainPem = pemOf(stranger.certificate ?? new Uint8Array());
  const context = contextWith({ ...settingsFor(vault), Signing__AzureKeyVault__ChainPem });
  await using _ = await openVaultSigner(context);
  expect(context.warnings).toEqual([expect.stringContaining("issued the signing certificate")]);
});

test("an identity that may not look at keys can sign with them", async () => {
  await using vault = await openVaultWithCertificate();
  const message = "does not have keys get permission on key vault";
  vault.troubles.set("keys/get", { type: "denied", inner: "AccessDenied", message });
  await using signer = await openVaultSigner(contextWith(settingsFor(vault)));
  expect(await signAndVerify(signer)).toMatchObject({ valid: true });
});

test("what is in progress ends when the signer is closed", async () => {
  await using vault = await openVaultWithCertificate();
  const signer = await openVaultSigner(contextWith(settingsFor(vault)));
  vault.troubles.set("keys/sign", { type: "silence" });
  const signing = signer.sign(Buffer.from("attributes"));
  await signer[Symbol.asyncDispose]();
  await expect(signing).rejects.toMatchObject({ problem: "signer", retryable: true });
});
