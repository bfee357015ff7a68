import { X509Certificate, createPublicKey, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { CosignKey, NotationAlgorithm, NotationKey, SealKeys } from "./ports.ts";

type RsaSignature = {
  readonly hash: "SHA256" | "SHA384" | "SHA512";
  readonly scheme: "pkcs1" | "pss";
};

type SignData = (data: Uint8Array) => Promise<Uint8Array>;

/** The RSA key that packages are signed with. */
export type PackageKey = {
  /** DER: the signing certificate first. */
  readonly chain: readonly Uint8Array[];
  readonly publicKey: KeyObject;
  /** Makes one kind of signature; undefined = the key cannot make it. */
  signer(how: RsaSignature): SignData | undefined;
};

/** A P-256 key of the registry. */
export type OwnKey = { readonly keyId: string; readonly privateKey: KeyObject };

export type SealKeyPorts = {
  /** Undefined while packages are not signed. */
  readonly packageKey: () => Promise<PackageKey | undefined>;
  readonly ownKey: () => Promise<OwnKey>;
  /** Issues a self-signed certificate (DER) of the key. */
  readonly selfIssue: (
    privateKey: KeyObject,
    options: { readonly subject: string; readonly now: Date },
  ) => Promise<Uint8Array>;
  /** A small file that instances replace one at a time. */
  readonly file: (path: string) => {
    read(): Promise<Uint8Array | undefined>;
    write(bytes: Uint8Array, before: Uint8Array | undefined): Promise<"written" | "exists">;
  };
  /** Common name of the registry's own certificate. */
  readonly serverName: string;
  readonly now: () => Date;
};

const DAY_MS = 24 * 60 * 60 * 1000;
/** The registry's own certificate is replaced this long before it expires. */
const RENEWED_BEFORE_MS = 30 * DAY_MS;
const COSIGN: RsaSignature = { hash: "SHA256", scheme: "pkcs1" };
/** By the bits of the key. The Notary Project fixes the hash and allows no other size. */
const NOTATION: Readonly<
  Record<number, { readonly algorithm: NotationAlgorithm; readonly how: RsaSignature }>
> = {
  2048: { algorithm: "PS256", how: { hash: "SHA256", scheme: "pss" } },
  3072: { algorithm: "PS384", how: { hash: "SHA384", scheme: "pss" } },
  4096: { algorithm: "PS512", how: { hash: "SHA512", scheme: "pss" } },
};

/**
 * Returns the keys that images are signed with: the key of packages where it makes the signatures
 * that a format demands, else the registry's own P-256 key. Each call reads the current keys, so a
 * replaced key or certificate takes effect at once.
 */
export function createFeedSealKeys(ports: SealKeyPorts): SealKeys {
  return {
    cosign: async () => cosignKeyOf(await ports.packageKey()) ?? ownCosignKey(ports),
    notation: async () => notationKeyOf(await ports.packageKey()) ?? ownNotationKey(ports),
  };
}

function cosignKeyOf(key: PackageKey | undefined): CosignKey | undefined {
  const signData = key?.signer(COSIGN);
  return key && signData && { publicKey: key.publicKey, sign: signData };
}

/** Undefined also for a chain without its root, which notation refuses. */
function notationKeyOf(key: PackageKey | undefined): NotationKey | undefined {
  const root = key?.chain.at(-1);
  if (!key || !root) return undefined;
  const notation = NOTATION[key.publicKey.asymmetricKeyDetails?.modulusLength ?? 0];
  const signData = notation && key.signer(notation.how);
  const { subject, issuer } = new X509Certificate(root);
  if (!signData || subject !== issuer) return undefined;
  return { chain: key.chain, algorithm: notation.algorithm, sign: signData };
}

async function ownCosignKey({ ownKey }: SealKeyPorts): Promise<CosignKey> {
  const { privateKey } = await ownKey();
  const publicKey = createPublicKey(privateKey);
  return { publicKey, sign: async (data) => sign("sha256", data, privateKey) };
}

async function ownNotationKey(ports: SealKeyPorts): Promise<NotationKey> {
  const own = await ports.ownKey();
  const key = { key: own.privateKey, dsaEncoding: "ieee-p1363" } as const;
  return {
    chain: [await ownCertificate(ports, own)],
    algorithm: "ES256",
    sign: async (data) => sign("sha256", data, key),
  };
}

/** The same certificate on all instances, because clients pin it. */
async function ownCertificate(
  { file, selfIssue, serverName, now }: SealKeyPorts,
  { keyId, privateKey }: OwnKey,
): Promise<Uint8Array> {
  const name = Buffer.from(keyId.replace(/^SHA256:/, ""), "base64")
    .toString("hex")
    .slice(0, 16);
  const shared = file(`certificates/images-${name}.der`);
  const before = await shared.read();
  const leftMs = before ? expiryOf(before) - now().getTime() : 0;
  if (before && leftMs > RENEWED_BEFORE_MS) return before;
  const subject = `CN="${serverName.replaceAll('"', '""')} images"`;
  const made = await selfIssue(privateKey, { subject, now: now() });
  if ((await shared.write(made, before)) === "written") return made;
  // Another instance wrote its certificate first.
  return (await shared.read()) ?? made;
}

function expiryOf(der: Uint8Array): number {
  return Date.parse(new X509Certificate(der).validTo);
}
