import { expect, test, vi } from "vitest";
import { openVaultSigner } from "./open-vault-signer.ts";
import { instanceMetadataEnvironment } from "./testing/azure-key-vault-stand-in.ts";
import {
  contextWith,
  openVaultWithCertificate,
  settingsFor,
  trustStandIn,
} from "./testing/vault-with-certificate.ts";

// A separate file: the SDK determines the source of its identity once per process.

test("the identity of a virtual machine is asked for a token", async () => {
  await trustStandIn();
  await using vault = await openVaultWithCertificate();
  for (const [name, value] of Object.entries(instanceMetadataEnvironment(vault.identityUrl))) {
    vi.stubEnv(name, value);
  }
  const context = contextWith({
    ...settingsFor(vault),
    Signing__AzureKeyVault__AuthenticationMode: "ManagedIdentity",
    Signing__AzureKeyVault__ClientSecret: undefined,
  });
  await using signer = await openVaultSigner(context);
  expect(signer.chain).toHaveLength(1);
  expect(vault.tokenRequests).toEqual([expect.stringMatching(/^\/metadata\/identity\//)]);
});
