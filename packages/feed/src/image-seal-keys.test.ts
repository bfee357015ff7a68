import { X509Certificate, constants, randomBytes, verify } from "node:crypto";
import { openTestDatabase } from "@sealhouse/database/testing";
import { openKeyRing } from "@sealhouse/identity";
import { rsaSigner } from "@sealhouse/repo-signing";
import type { Signer } from "@sealhouse/repo-signing";
import { createTestSigner } from "@sealhouse/repo-signing/testing";
import { createMemoryStore } from "@sealhouse/storage-providers/memory";
import { expect, test } from "vitest";
import { cosignPublicKey, notationRoot } from "@sealhouse/oci-distribution/seal";
import { sealKeysOf } from "./image-seal-keys.ts";

const DATA = Buffer.from("an image");

/** `signer` is what packages are signed with; nothing while they are not. */
async function openKeys(signer?: Signer) {
  const database = await openTestDatabase({});
  const ownRing = await openKeyRing({ random: randomBytes });
  const store = createMemoryStore();
  const tools = signer && {
    signer: async () => signer,
    sealer: { sealOnDownload: () => Promise.reject(new Error("not asked")) },
    rotate: undefined,
    successor: undefined,
  };
  const signing = { tools: async () => tools };
  const open = (now = new Date(), keyRing = ownRing) =>
    sealKeysOf(
      { signing, database, store, keyRing },
      { serverName: 'Acme "Packages"', now: () => now },
    );
  return { database, open, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

/** A key service that makes the one kind of signature it was set up for. */
function inService(signer: Signer, fields: Partial<Signer> = {}): Signer {
  const { chain, hash, scheme } = signer;
  return { chain, hash, ...(scheme && { scheme }), sign: (data) => signer.sign(data), ...fields };
}

function leafOf({ chain }: { readonly chain: readonly Uint8Array[] }): X509Certificate {
  return new X509Certificate(chain[0] ?? Buffer.alloc(0));
}

const PSS = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
};

test("a key that the key ring cannot decrypt is an error and stays unchanged", async () => {
  await using parts = await openKeys();
  const cosign = await (await parts.open()).cosign();
  const before = await parts.database.npm.signingKeys.list();
  const lost = await parts.open(new Date(), await openKeyRing({ random: randomBytes }));
  await expect(lost.cosign()).rejects.toThrow(/Host__DataProtection__KeyPath/);
  await expect(lost.notation()).rejects.toThrow(/Host__DataProtection__KeyPath/);
  expect(before).toHaveLength(1);
  expect(await parts.database.npm.signingKeys.list()).toEqual(before);
  const again = await (await parts.open()).cosign();
  expect(again.publicKey.equals(cosign.publicKey)).toBe(true);
});

test("the key of packages signs as cosign and as notation want it, and is on record", async () => {
  const signer = await createTestSigner({ hash: "SHA512" });
  await using parts = await openKeys(signer);
  const keys = await parts.open();
  const cosign = await keys.cosign();
  expect(leafOf(signer).publicKey.equals(cosign.publicKey)).toBe(true);
  expect(await parts.database.certificates.list()).toEqual([]);
  expect(verify("sha256", DATA, cosign.publicKey, await cosign.sign(DATA))).toBe(true);
  expect(await parts.database.certificates.list()).toHaveLength(1);

  const notation = await keys.notation();
  expect(notation.algorithm).toBe("PS256");
  expect(notation.chain).toEqual(signer.chain);
  const key = { key: leafOf(signer).publicKey, ...PSS };
  expect(verify("sha256", DATA, key, await notation.sign(DATA))).toBe(true);
  expect(new X509Certificate(await notationRoot(keys)).subject).toContain("Test Root");
});

test("without signed packages the registry's own key signs, the same for all", async () => {
  await using parts = await openKeys();
  const [keys, other] = [await parts.open(), await parts.open()];
  const [cosign, again] = await Promise.all([keys.cosign(), other.cosign()]);
  expect(cosign.publicKey.asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
  expect(again.publicKey.equals(cosign.publicKey)).toBe(true);
  expect(verify("sha256", DATA, cosign.publicKey, await again.sign(DATA))).toBe(true);
  expect(await cosignPublicKey(keys)).toMatch(/^-----BEGIN PUBLIC KEY-----/);

  const [notation, same] = await Promise.all([keys.notation(), other.notation()]);
  expect(notation.algorithm).toBe("ES256");
  expect(same.chain).toEqual(notation.chain);
  const certificate = leafOf(notation);
  expect(certificate.publicKey.equals(cosign.publicKey)).toBe(true);
  expect(certificate.subject).toContain("images");
  const key = { key: certificate.publicKey, dsaEncoding: "ieee-p1363" } as const;
  expect(verify("sha256", DATA, key, await notation.sign(DATA))).toBe(true);
});

test("replaces the certificate of the own key before its end, and not sooner", async () => {
  await using parts = await openKeys();
  const first = await (await parts.open()).notation();
  const later = (years: number) => new Date(Date.now() + years * 365 * 86_400_000);
  expect((await (await parts.open(later(9))).notation()).chain).toEqual(first.chain);
  const next = await (await parts.open(later(9.95))).notation();
  expect(next.chain).not.toEqual(first.chain);
  expect((await (await parts.open(later(9.95))).notation()).chain).toEqual(next.chain);
});

test("a key service signs what it can, and the own key the rest", async () => {
  const signer = await createTestSigner();
  await using parts = await openKeys(inService(signer));
  expect((await (await parts.open()).cosign()).publicKey.asymmetricKeyType).toBe("rsa");
  expect((await (await parts.open()).notation()).algorithm).toBe("ES256");

  const hash = "SHA256";
  const as = rsaSigner(signer, { hash, scheme: "pss" });
  if (!as) throw new Error("the test signer makes no PSS");
  const pss = inService(signer, { scheme: "pss", sign: as });
  await using others = await openKeys(pss);
  expect((await (await others.open()).cosign()).publicKey.asymmetricKeyType).toBe("ec");
  expect((await (await others.open()).notation()).algorithm).toBe("PS256");
});

test("the own key signs for a service that makes no signatures with SHA-256", async () => {
  const signer = await createTestSigner({ hash: "SHA512" });
  await using parts = await openKeys(inService(signer));
  const cosign = await (await parts.open()).cosign();
  expect(cosign.publicKey.asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
  expect(verify("sha256", DATA, cosign.publicKey, await cosign.sign(DATA))).toBe(true);
});

test("notation gets no chain that ends before its root", async () => {
  const signer = await createTestSigner();
  const chain = signer.chain.slice(0, 1);
  await using parts = await openKeys({ ...signer, chain });
  expect((await (await parts.open()).notation()).algorithm).toBe("ES256");
  expect((await (await parts.open()).cosign()).publicKey.asymmetricKeyType).toBe("rsa");
});

test("a certificate that no client accepts any more does not sign", async () => {
  const signer = await createTestSigner({ now: new Date("2020-01-01T00:00:00Z") });
  await using parts = await openKeys(signer);
  await expect((await parts.open()).cosign()).rejects.toThrow("ends on");
  await expect((await parts.open()).notation()).rejects.toThrow("ends on");
});
