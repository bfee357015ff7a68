import { createPublicKey, randomBytes, sign } from "node:crypto";
import type { Database } from "@sealhouse/database";
import type { KeyRing } from "@sealhouse/identity";
import { openCurrentKey } from "@sealhouse/npm-protocol";
import type {
  CosignKey,
  NotationAlgorithm,
  NotationKey,
  SealKeys,
} from "@sealhouse/oci-distribution/seal";
import type * as repoSigning from "@sealhouse/repo-signing";
import type { RsaSignature, Signer } from "@sealhouse/repo-signing";
import type { ObjectStore } from "@sealhouse/storage-providers";
import { createSharedFile } from "@sealhouse/storage-providers";
import { npmKeyProtection } from "../wiring/npm-signatures.ts";
import type { FeedSigning } from "@sealhouse/repo-signing/feed";

export type SealKeyParts = {
  readonly serverName: string;
  readonly signing: Pick<FeedSigning, "tools">;
  readonly database: {
    readonly npm: Pick<Database["npm"], "signingKeys">;
    readonly certificates: Database["certificates"];
  };
  readonly store: ObjectStore;
  readonly keyRing: KeyRing;
  readonly now: () => Date;
};

type Library = typeof repoSigning;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Before its end a certificate of the registry's own key gets a successor. */
const RENEWED_BEFORE_MS = 30 * DAY_MS;
const COSIGN: RsaSignature = { hash: "SHA256", scheme: "pkcs1" };
/** By the bits of the key: the Notary Project fixes the hash, and allows no other size. */
const NOTATION: Readonly<
  Record<number, { readonly algorithm: NotationAlgorithm; readonly how: RsaSignature }>
> = {
  2048: { algorithm: "PS256", how: { hash: "SHA256", scheme: "pss" } },
  3072: { algorithm: "PS384", how: { hash: "SHA384", scheme: "pss" } },
  4096: { algorithm: "PS512", how: { hash: "SHA512", scheme: "pss" } },
};

/**
 * Images are sealed by whoever signs packages, where that key makes the signatures that a format
 * demands; otherwise, and while packages are not signed, by the registry's own P-256 key. Each call
 * asks anew, so a replaced key or certificate takes effect at once.
 */
export function createSealKeys(parts: SealKeyParts): SealKeys {
  return {
    async cosign() {
      const library = await import("@sealhouse/repo-signing");
      return (await cosignKeyOf(parts, library)) ?? ownCosignKey(parts);
    },
    async notation() {
      const library = await import("@sealhouse/repo-signing");
      return (await notationKeyOf(parts, library)) ?? ownNotationKey(parts, library);
    },
  };
}

async function cosignKeyOf(parts: SealKeyParts, library: Library): Promise<CosignKey | undefined> {
  const signer = await (await parts.signing.tools())?.signer();
  const make = signer && library.rsaSigner(signer, COSIGN);
  if (!signer || !make) return undefined;
  const { x509 } = library.usableCertificate(signer, parts.now());
  return { publicKey: x509.publicKey, sign: recording(parts, library, { signer, make }) };
}

/** Undefined also where the chain does not reach its root: notation takes no other. */
async function notationKeyOf(
  parts: SealKeyParts,
  library: Library,
): Promise<NotationKey | undefined> {
  const signer = await (await parts.signing.tools())?.signer();
  const root = signer?.chain.at(-1);
  if (!signer || !root) return undefined;
  const { x509 } = library.usableCertificate(signer, parts.now());
  const bits = x509.publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
  const wanted = NOTATION[bits];
  const make = wanted && library.rsaSigner(signer, wanted.how);
  const { subject, issuer } = library.parseCertificate(root);
  if (!make || subject !== issuer) return undefined;
  return {
    chain: signer.chain,
    algorithm: wanted.algorithm,
    sign: recording(parts, library, { signer, make }),
  };
}

type Make = (data: Uint8Array) => Promise<Uint8Array>;

/** A certificate that signs is on record, and so listed, before anybody sees what it signed. */
function recording(
  { database, now }: SealKeyParts,
  { certificateRecordOf }: Library,
  { signer, make }: { readonly signer: Signer; readonly make: Make },
): Make {
  return async (data) => {
    const [der] = signer.chain;
    if (der) await database.certificates.used(certificateRecordOf(der), now());
    return make(data);
  };
}

async function ownCosignKey(parts: SealKeyParts): Promise<CosignKey> {
  const { privateKey } = await ownKey(parts);
  const publicKey = createPublicKey(privateKey);
  return { publicKey, sign: async (data) => sign("sha256", data, privateKey) };
}

async function ownNotationKey(parts: SealKeyParts, library: Library): Promise<NotationKey> {
  const own = await ownKey(parts);
  const key = { key: own.privateKey, dsaEncoding: "ieee-p1363" } as const;
  return {
    chain: [await ownCertificate(parts, library, own)],
    algorithm: "ES256",
    sign: async (data) => sign("sha256", data, key),
  };
}

type OwnKey = Awaited<ReturnType<typeof openCurrentKey>>;

function ownKey({ database, keyRing, now }: SealKeyParts): Promise<OwnKey> {
  const protection = npmKeyProtection(keyRing);
  return openCurrentKey({ keys: database.npm.signingKeys, protection, now });
}

/** One for all instances, kept in the storage: clients pin it. */
async function ownCertificate(
  { store, serverName, now }: SealKeyParts,
  { parseCertificate, selfIssueP256 }: Library,
  { keyId, privateKey }: OwnKey,
): Promise<Uint8Array> {
  const name = Buffer.from(keyId.replace(/^SHA256:/, ""), "base64")
    .toString("hex")
    .slice(0, 16);
  const file = createSharedFile(store, `certificates/images-${name}.der`);
  const before = await file.read();
  const leftMs = before ? parseCertificate(before).notAfter.getTime() - now().getTime() : 0;
  if (before && leftMs > RENEWED_BEFORE_MS) return before;
  const subject = `CN="${serverName.replaceAll('"', '""')} images"`;
  const made = await selfIssueP256(privateKey, { subject, now: now(), randomBytes });
  if ((await file.write(made, before)) === "written") return made;
  // Another instance was faster.
  return (await file.read()) ?? made;
}
