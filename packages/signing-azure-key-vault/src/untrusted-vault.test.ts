import { expect, test } from "vitest";
import { openVaultSigner } from "./open-vault-signer.ts";
import {
  contextWith,
  openVaultWithCertificate,
  settingsFor,
} from "./testing/vault-with-certificate.ts";

// A file of its own: this process must not trust the stand-in.

test("a vault whose TLS certificate is not trusted is no outage", async () => {
  await using vault = await openVaultWithCertificate();
  await expect(openVaultSigner(contextWith(settingsFor(vault)))).rejects.toMatchObject({
    message: expect.stringMatching(/certificate is not trusted \(\w+\);.*NODE_EXTRA_CA_CERTS/),
    retryable: false,
  });
});
