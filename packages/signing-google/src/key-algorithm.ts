import type { HashName, SignatureScheme } from "@sealhouse/repo-signing";

/** Scheme and hash of a key version. */
export type KeyAlgorithm = { readonly hash: HashName; readonly scheme: SignatureScheme };

/** The values of `CryptoKeyVersionAlgorithm` whose signatures NuGet clients know. */
const ALGORITHMS: Readonly<Record<string, KeyAlgorithm>> = {
  RSA_SIGN_PKCS1_2048_SHA256: { hash: "SHA256", scheme: "pkcs1" },
  RSA_SIGN_PKCS1_3072_SHA256: { hash: "SHA256", scheme: "pkcs1" },
  RSA_SIGN_PKCS1_4096_SHA256: { hash: "SHA256", scheme: "pkcs1" },
  RSA_SIGN_PKCS1_4096_SHA512: { hash: "SHA512", scheme: "pkcs1" },
  RSA_SIGN_PSS_2048_SHA256: { hash: "SHA256", scheme: "pss" },
  RSA_SIGN_PSS_3072_SHA256: { hash: "SHA256", scheme: "pss" },
  RSA_SIGN_PSS_4096_SHA256: { hash: "SHA256", scheme: "pss" },
  RSA_SIGN_PSS_4096_SHA512: { hash: "SHA512", scheme: "pss" },
};

/** For messages. */
export const SUPPORTED_ALGORITHMS =
  "RSA_SIGN_PKCS1 or RSA_SIGN_PSS, 2048, 3072 or 4096 bits with SHA-256, or 4096 with SHA-512";

/** Undefined for elliptic curves, raw PKCS#1, encryption and whatever else a key may be for. */
export function keyAlgorithm(name: string): KeyAlgorithm | undefined {
  return ALGORITHMS[name];
}

/** Where the private half of a key is kept, and used. */
export type ProtectionLevel = "SOFTWARE" | "HSM" | "HSM_SINGLE_TENANT";
