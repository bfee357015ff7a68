import { beforeAll, expect, test } from "vitest";
import { openVaultSigner } from "./open-vault-signer.ts";
import {
  contextWith,
  openVaultWithCertificate,
  settingsFor,
  trustStandIn,
} from "./testing/vault-with-certificate.ts";

beforeAll(trustStandIn);

async function opens(context: ReturnType<typeof contextWith>): Promise<boolean> {
  await using signer = await openVaultSigner(context);
  return signer.chain.length === 1;
}

test("an application signs in with its secret", async () => {
  await using vault = await openVaultWithCertificate();
  expect(await opens(contextWith(settingsFor(vault)))).toBe(true);
  const form = new URLSearchParams(vault.tokenRequests[0]);
  expect(form.get("grant_type")).toBe("client_credentials");
  expect(form.get("scope")).toContain("https://vault.azure.net/.default");
});

test("the secret may be kept under another name", async () => {
  await using vault = await openVaultWithCertificate();
  const changes = {
    Signing__AzureKeyVault__ClientSecret: undefined,
    Signing__AzureKeyVault__ClientSecretConfigurationKey: "VAULT_SECRET",
  };
  const variables = { VAULT_SECRET: vault.application.clientSecret };
  expect(await opens(contextWith({ ...settingsFor(vault), ...changes }, variables))).toBe(true);
});

test.each([
  [{ Signing__AzureKeyVault__ClientSecret: "wrong" }, /AADSTS7000215: Invalid client secret/],
  [{ Signing__AzureKeyVault__ClientId: "nobody" }, /AADSTS700016: Application was not found/],
  [
    { Signing__AzureKeyVault__TenantId: "other.example" },
    /not configured to acquire tokens for tenant 0f4e2d6a/,
  ],
])("an unauthorized application gets the reason: %j", async (changes, words) => {
  await using vault = await openVaultWithCertificate();
  const opening = openVaultSigner(contextWith({ ...settingsFor(vault), ...changes }));
  await expect(opening).rejects.toMatchObject({
    problem: "signer",
    retryable: false,
    message: expect.stringMatching(words),
  });
  await expect(opening).rejects.not.toThrow(vault.application.clientSecret);
});

test.each([
  { type: "status", status: 503 },
  { type: "status", status: 429, retryAfter: "0" },
  { type: "cut" },
] as const)("a token server that is out may come back: %j", async (trouble) => {
  await using vault = await openVaultWithCertificate();
  vault.troubles.set("token", trouble);
  const opening = openVaultSigner(contextWith(settingsFor(vault)));
  await expect(opening).rejects.toMatchObject({
    message: expect.stringContaining("the token server is unavailable"),
    retryable: true,
  });
  expect(vault.tokenRequests.length).toBeLessThanOrEqual(6);
});
