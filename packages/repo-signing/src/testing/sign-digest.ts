import type { KeyObject } from "node:crypto";
import { constants, createHash, createPublicKey, privateEncrypt, randomBytes } from "node:crypto";
import type { HashName } from "../hash.ts";
import type { SignatureScheme } from "../ports.ts";

/** DigestInfo up to the digest (RFC 8017, 9.2, note 1). */
const DIGEST_INFO: Readonly<Record<HashName, string>> = {
  SHA256: "3031300d060960864801650304020105000420",
  SHA384: "3041300d060960864801650304020205000430",
  SHA512: "3051300d060960864801650304020305000440",
};

/**
 * Signs a digest as a key service does, which gets nothing else; `crypto.sign` would hash it again.
 * For stand-ins of such services.
 */
export function signDigest(
  digest: Uint8Array,
  how: {
    /** RSA, the modulus a multiple of eight bits. */
    readonly key: KeyObject;
    readonly hash: HashName;
    readonly scheme: SignatureScheme;
  },
): Buffer {
  const { key, hash, scheme } = how;
  if (scheme === "pkcs1") {
    const info = Buffer.concat([Buffer.from(DIGEST_INFO[hash], "hex"), digest]);
    return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, info);
  }
  const bits = createPublicKey(key).asymmetricKeyDetails?.modulusLength ?? 0;
  const encoded = encodePss(digest, hash, bits);
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, encoded);
}

/**
 * EMSA-PSS-ENCODE (RFC 8017, 9.1.1), the salt as long as the digest:
 * H = Hash(8 zero bytes || digest || salt); EM = (DB xor MGF1(H)) || H || bc.
 * One bit of the first byte stays clear.
 */
function encodePss(digest: Uint8Array, hash: HashName, bits: number): Buffer {
  const salt = randomBytes(digest.length);
  const inner = createHash(hash).update(Buffer.alloc(8)).update(digest).update(salt).digest();
  const block = Buffer.alloc(bits / 8 - inner.length - 1);
  block[block.length - salt.length - 1] = 1;
  salt.copy(block, block.length - salt.length);
  const mask = maskOf(inner, hash, block.length);
  const masked = block.map((byte, index) => byte ^ (mask[index] ?? 0));
  masked[0] = (masked[0] ?? 0) & 0x7f;
  return Buffer.concat([masked, inner, Buffer.of(0xbc)]);
}

/** MGF1 (RFC 8017, B.2.1). */
function maskOf(seed: Uint8Array, hash: HashName, length: number): Buffer {
  const parts: Buffer[] = [];
  for (let counter = 0; parts.length * seed.length < length; counter += 1) {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(counter);
    parts.push(createHash(hash).update(seed).update(number).digest());
  }
  return Buffer.concat(parts).subarray(0, length);
}
