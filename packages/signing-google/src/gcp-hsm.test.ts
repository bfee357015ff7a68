import { createPublicKey, verify } from "node:crypto";
import { expect, test } from "vitest";
import { certificateOf, openMode, openStandIn, TEST_INSTANCE } from "./testing/google-mode.ts";
import { testVersion } from "./testing/kms-answers.ts";

const DATA = Buffer.from("signed attributes");

test.each([
  ["as people write it", TEST_INSTANCE],
  ["with the number of the project", TEST_INSTANCE.replace("acme", "123456789012")],
])("a key in the named single-tenant instance signs, %s", async (_case, backend) => {
  const version = testVersion({ protectionLevel: "HSM_SINGLE_TENANT" });
  await using kms = await openStandIn({ versions: [version] });
  kms.backend = backend;
  const signer = await openMode("GcpHsm", {
    ...kms.settings,
    ClusterName: "vault-1",
    CertificatePem: await certificateOf(version),
  }).opening;
  expect(verify("sha256", DATA, createPublicKey(version.key), await signer.sign(DATA))).toBe(true);
  expect(kms.calls.map(({ method }) => method)).toEqual([
    "getCryptoKey",
    "listCryptoKeyVersions",
    "getPublicKey",
    "asymmetricSign",
    "asymmetricSign",
  ]);
  await signer[Symbol.asyncDispose]?.();
});

test.each([
  ["", /lives in no single-tenant HSM instance, not in .*\/vault-1$/],
  [TEST_INSTANCE.replace("vault-1", "vault-2"), /lives in .*\/vault-2, not in .*\/vault-1$/],
  [TEST_INSTANCE.replace("europe-west1", "us-east1"), /lives in .*\/us-east1\/.*, not in/],
  [TEST_INSTANCE.replace("acme", "other"), /lives in projects\/other\/.*, not in projects\/acme/],
])("a key whose device is “%s” is refused", async (backend, message) => {
  const version = testVersion({ protectionLevel: "HSM_SINGLE_TENANT" });
  await using kms = await openStandIn({ versions: [version] });
  kms.backend = backend;
  const { opening } = openMode("GcpHsm", {
    ...kms.settings,
    ClusterName: "vault-1",
    CertificatePem: await certificateOf(version),
  });
  await expect(opening).rejects.toThrow(message);
  await expect(opening).rejects.toMatchObject({ key: "Signing__GcpHsm__ClusterName" });
});

test("a key in a shared device is refused, whatever the instance is called", async () => {
  const version = testVersion({ protectionLevel: "HSM" });
  await using kms = await openStandIn({ versions: [version] });
  kms.backend = TEST_INSTANCE;
  const { opening } = openMode("GcpHsm", {
    ...kms.settings,
    ClusterName: "vault-1",
    CertificatePem: await certificateOf(version),
  });
  await expect(opening).rejects.toThrow(/has the protection level HSM, not HSM_SINGLE_TENANT$/);
});
