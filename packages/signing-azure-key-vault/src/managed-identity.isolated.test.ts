import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openVaultSigner } from "./open-vault-signer.ts";
import { appServiceEnvironment } from "./testing/azure-key-vault-stand-in.ts";
import {
  contextWith,
  openVaultWithCertificate,
  settingsFor,
  trustStandIn,
} from "./testing/vault-with-certificate.ts";

// The SDK remembers the endpoint of identities, and their tokens, for the life of the process: one
// stand-in for all tests of this file, and a separate identity for each.

const vault = await openVaultWithCertificate();
beforeAll(trustStandIn);
afterAll(() => vault[Symbol.asyncDispose]());
afterEach(() => {
  vi.unstubAllEnvs();
  vault.troubles.clear();
});

function inEnvironment(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}

const opened = (mode: string | undefined, clientId?: string) =>
  openVaultSigner(
    contextWith({
      ...settingsFor(vault),
      Signing__AzureKeyVault__AuthenticationMode: mode,
      Signing__AzureKeyVault__TenantId: undefined,
      Signing__AzureKeyVault__ClientId: clientId,
      Signing__AzureKeyVault__ClientSecret: undefined,
    }),
  );

test("the identity of the machine is asked for a token", async () => {
  inEnvironment(appServiceEnvironment(vault.identityUrl));
  await using signer = await opened("ManagedIdentity");
  expect(signer.chain).toHaveLength(1);
  expect(vault.tokenRequests.at(-1)).toMatch(/^\/msi\/token\?/);
  expect(vault.tokenRequests.at(-1)).not.toContain("client_id");
});

test("a user-assigned identity is asked for by its client id", async () => {
  inEnvironment(appServiceEnvironment(vault.identityUrl));
  await using _ = await opened("ManagedIdentity", "11111111-2222-4333-8444-555566667777");
  expect(vault.tokenRequests.at(-1)).toContain("client_id=11111111-2222-4333-8444-555566667777");
});

test("by default the application of the environment is taken", async () => {
  inEnvironment({
    ...appServiceEnvironment(vault.identityUrl),
    AZURE_TENANT_ID: vault.tenantId,
    AZURE_CLIENT_ID: vault.application.clientId,
    AZURE_CLIENT_SECRET: vault.application.clientSecret,
  });
  await using _ = await opened(undefined);
  expect(vault.tokenRequests.at(-1)).toContain("grant_type=client_credentials");
});

test("by default the managed identity is taken where there is no application", async () => {
  inEnvironment(appServiceEnvironment(vault.identityUrl));
  await using _ = await opened(undefined, "22222222-2222-4333-8444-555566667777");
  expect(vault.tokenRequests.at(-1)).toContain("client_id=22222222-2222-4333-8444-555566667777");
});

test.each([
  [503, true],
  [400, false],
])("whether waiting helps after a %i from the endpoint: %s", async (status, retryable) => {
  inEnvironment(appServiceEnvironment(vault.identityUrl));
  vault.troubles.set("token", { type: "status", status });
  await expect(opened("ManagedIdentity", `of-${status}`)).rejects.toMatchObject({
    message: expect.stringMatching(
      retryable
        ? "the token server is unavailable"
        : "Look at Signing__AzureKeyVault__AuthenticationMode",
    ),
    retryable,
  });
});

test("without an identity it names the sources that it tried", async () => {
  inEnvironment({ AZURE_TOKEN_CREDENTIALS: "EnvironmentCredential" });
  await expect(opened(undefined)).rejects.toMatchObject({
    message: expect.stringMatching(/EnvironmentCredential is unavailable.*AuthenticationMode/),
    retryable: false,
  });
});
