import { expect, test } from "vitest";
import { openVaultSigner } from "./open-vault-signer.ts";
import {
  contextWith,
  openVaultWithCertificate,
  settingsFor,
} from "./testing/vault-with-certificate.ts";

// A separate file: this process must not trust the stand-in.

test("a vault with an untrusted TLS certificate is not an outage", async () => {
  await using vault = await openVaultWithCertificate();
  await expect(openVaultSigner(contextWith(settingsFor(vault)))).rejects.toMatchObject({
    message: expect.stringMatching(/certificate is not trusted \(\w+\);.*NODE_EXTRA_CA_CERTS/),
    retryable: false,
  });
});
