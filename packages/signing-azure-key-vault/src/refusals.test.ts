import { generateKeyPairSync } from "node:crypto";
import { SigningError } from "@sealhouse/repo-signing";
import { beforeAll, expect, test } from "vitest";
import { openVaultSigner } from "./open-vault-signer.ts";
import type { AzureKeyVaultStandIn } from "./testing/azure-key-vault-stand-in.ts";
import {
  contextWith,
  makeVersion,
  openVaultWithCertificate,
  rsaKey,
  settingsFor,
  trustStandIn,
} from "./testing/vault-with-certificate.ts";

// Each open refusal is one an operator meets at start.

beforeAll(trustStandIn);

const DAY_MS = 24 * 60 * 60 * 1000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
const ecKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

async function failureOf(
  vault: AzureKeyVaultStandIn,
  changes: Record<string, string | undefined> = {},
): Promise<Error> {
  try {
    await using _ = await openVaultSigner(contextWith({ ...settingsFor(vault), ...changes }));
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("The signer was opened.");
}

test.each<[string, Parameters<typeof makeVersion>[0], RegExp]>([
  ["an elliptic key", { key: ecKey }, /feed\/\w{32} in https.*type EC.*RSA or RSA-HSM/],
  ["1024 bits", { key: shortKey() }, /not RSA with 2048 bits or more \(NU3014\)/],
  ["a disabled version", { enabled: false }, /feed\/\w{32} in https.* is disabled/],
  ["a version whose issuer is asked", { certificate: undefined }, /is not finished/],
  ["a beginning in the future", { now: inDays(5) }, /not valid before .* \(NU3017\)/],
  ["an end in the past", { now: inDays(-9), validityInDays: 3 }, /ends on .* Install a new one/],
  ["a disabled key", { keyEnabled: false }, /key of the certificate feed.* is disabled/],
  ["a key that may not sign", { keyOperations: ["encrypt"] }, /may not sign: .*digitalSignature/],
  ["another key", { shownKey: rsaKey() }, /does not belong to the key .* public keys differ/],
])("a certificate with %s is refused", async (_what, version, words) => {
  await using vault = await openVaultWithCertificate(await makeVersion(version));
  const failure = await failureOf(vault);
  expect(failure.message).toMatch(words);
  expect(failure).toBeInstanceOf(SigningError);
  expect(failure).toMatchObject({ retryable: false });
});

test.each([
  [
    { Signing__AzureKeyVault__CertificateName: "other" },
    /read the certificate other in .*: it is not there/,
  ],
  [
    { Signing__AzureKeyVault__CertificateVersion: "0".repeat(32) },
    /certificate feed\/0{32} in .*: it is not there/,
  ],
])("a certificate that is not there is named: %j", async (changes, words) => {
  await using vault = await openVaultWithCertificate();
  expect(await failureOf(vault, changes)).toMatchObject({
    message: expect.stringMatching(words),
    retryable: false,
  });
});

test.each([
  ["certificates/get", "AccessDenied", /lacks the permission certificates\/get/],
  ["certificates/get", "ForbiddenByFirewall", /network rules keep the host out/],
  ["keys/sign", "ForbiddenByRbac", /lacks the permission keys\/sign/],
  ["keys/sign", "KeyDisabled", /it is disabled/],
] as const)("a refusal of %s with %s names the permission", async (operation, inner, words) => {
  await using vault = await openVaultWithCertificate();
  const message = "The vault says no.\r\nAnd then more.";
  vault.troubles.set(operation, { type: "denied", inner, message });
  const failure = await failureOf(vault);
  expect(failure).toMatchObject({ problem: "signer", retryable: false });
  expect(failure.message).toMatch(words);
  expect(failure.message).toContain(`The vault says no. (${inner})`);
});

test.each([
  [{ type: "status", status: 429, retryAfter: "0" }, true, /the vault answered 429/],
  [{ type: "status", status: 503 }, true, /the vault answered 503/],
  [{ type: "status", status: 500 }, true, /the vault answered 500/],
  [{ type: "status", status: 400 }, false, /the vault answered 400/],
  [{ type: "cut" }, true, /the vault cannot be reached \(ECONNRESET\)/],
] as const)("%j of the vault may pass: %s", async (trouble, retryable, words) => {
  await using vault = await openVaultWithCertificate();
  const signer = await openVaultSigner(contextWith(settingsFor(vault)));
  await using _ = signer;
  vault.troubles.set("keys/sign", trouble);
  const before = vault.requests.length;
  await expect(signer.sign(Buffer.from("attributes"))).rejects.toMatchObject({
    problem: "signer",
    retryable,
    message: expect.stringMatching(words),
  });
  const tries = retryable ? 3 : 1;
  expect(vault.requests).toHaveLength(before + tries);
  vault.troubles.delete("keys/sign");
  expect(await signer.sign(Buffer.from("attributes"))).toHaveLength(256);
});

test("a vault that does not answer is an outage", async () => {
  const vault = await openVaultWithCertificate();
  await vault[Symbol.asyncDispose]();
  expect(await failureOf(vault)).toMatchObject({
    message: expect.stringMatching(/cannot be reached \(ECONNREFUSED\)/),
    retryable: true,
  });
});

test("a vault that does not answer is given up in time", async () => {
  await using vault = await openVaultWithCertificate();
  await using signer = await openVaultSigner(contextWith(settingsFor(vault)), {
    timeoutMs: 1_000,
  });
  vault.troubles.set("keys/sign", { type: "silence" });
  await expect(signer.sign(Buffer.from("attributes"))).rejects.toMatchObject({
    message: expect.stringMatching(/did not answer in time/),
    retryable: true,
  });
});

test("an address that asks for another service's token gets none", async () => {
  await using vault = await openVaultWithCertificate();
  const changes = { Signing__AzureKeyVault__VerifyChallengeResource: undefined };
  const failure = await failureOf(vault, changes);
  expect(failure).toMatchObject({ key: "Signing__AzureKeyVault__VaultUri" });
  expect(failure.message).toContain("Signing__AzureKeyVault__VerifyChallengeResource");
  expect(vault.tokenRequests).toEqual([]);
});

function shortKey() {
  return generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
}
