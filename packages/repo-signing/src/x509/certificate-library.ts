import { webcrypto } from "node:crypto";
import type { Crypto as WebCrypto } from "@peculiar/webcrypto";
import type * as X509 from "@peculiar/x509";
import { HASH_BYTES } from "../hash.ts";
import type { CertificateKey, CertificatePurpose } from "./certificate-key.ts";

/** The library that makes certificates, with a Web Crypto that signs with `key`. */
export type CertificateLibrary = {
  readonly x509: typeof X509;
  readonly crypto: WebCrypto;
  readonly keys: webcrypto.CryptoKeyPair;
  /** The algorithm that `keys.privateKey` signs with. */
  readonly signingAlgorithm: SigningAlgorithm;
};

type SigningAlgorithm = webcrypto.KeyAlgorithm & {
  readonly hash: { readonly name: string };
  readonly saltLength?: number;
  readonly namedCurve?: string;
};

const WEB_HASH = { SHA256: "SHA-256", SHA384: "SHA-384", SHA512: "SHA-512" } as const;

/** Loads `@peculiar/x509` (an eighth of a CPU second), and gives it `key` to sign with. */
export async function openCertificateLibrary(key: CertificateKey): Promise<CertificateLibrary> {
  // The library registers its parts with it, and throws when it comes later.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const { Crypto } = await import("@peculiar/webcrypto");
  const signingAlgorithm = algorithmOf(key);
  const crypto: WebCrypto = new Crypto();
  Object.assign(crypto.subtle, {
    // Node's digest: the library's own runs on the event loop.
    digest: (hash: string, data: ArrayBuffer) => webcrypto.subtle.digest(hash, data),
    sign: async (_algorithm: unknown, _key: unknown, data: ArrayBuffer) =>
      bufferOf(await key.sign(new Uint8Array(data))),
    // The library asks for the public half of a request as SubjectPublicKeyInfo, nothing else.
    exportKey: async () => bufferOf(key.publicKey),
  });
  return { x509, crypto, keys: keysOf(signingAlgorithm), signingAlgorithm };
}

/** A placeholder for keys that the library only passes back to `crypto.subtle`. */
function keysOf(algorithm: SigningAlgorithm): webcrypto.CryptoKeyPair {
  const half = (type: webcrypto.KeyType, usage: webcrypto.KeyUsage) =>
    ({ type, usages: [usage], extractable: type === "public", algorithm }) as webcrypto.CryptoKey;
  return { publicKey: half("public", "verify"), privateKey: half("private", "sign") };
}

function algorithmOf({ hash, scheme }: CertificateKey): SigningAlgorithm {
  const hashed = { hash: { name: WEB_HASH[hash] } };
  switch (scheme) {
    case "pkcs1":
      return { name: "RSASSA-PKCS1-v1_5", ...hashed };
    case "pss":
      return { name: "RSA-PSS", ...hashed, saltLength: HASH_BYTES[hash] };
    case "ecdsa-p256":
      return { name: "ECDSA", ...hashed, namedCurve: "P-256" };
  }
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

/** The extensions that limit the use of a key. */
export function usagesOf(x509: typeof X509, purpose: CertificatePurpose): X509.Extension[] {
  const isAuthority = purpose.type === "authority";
  const { keyCertSign, cRLSign, digitalSignature } = x509.KeyUsageFlags;
  return [
    new x509.BasicConstraintsExtension(isAuthority, undefined, true),
    // oxlint-disable-next-line no-unsafe-enum-assignment -- the flags are bits, and are combined
    new x509.KeyUsagesExtension(isAuthority ? keyCertSign | cRLSign : digitalSignature, true),
    ...(purpose.type === "end-entity"
      ? [new x509.ExtendedKeyUsageExtension([purpose.usage], purpose.critical)]
      : []),
  ];
}
