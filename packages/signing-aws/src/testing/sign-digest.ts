import type { KeyObject } from "node:crypto";
import { constants, createHash, privateEncrypt, randomBytes } from "node:crypto";

type Bits = "256" | "384" | "512";

/** DigestInfo before the digest (RFC 8017 9.2, note 1). */
const DIGEST_INFO: Readonly<Record<Bits, string>> = {
  "256": "3031300d060960864801650304020105000420",
  "384": "3041300d060960864801650304020205000430",
  "512": "3051300d060960864801650304020305000440",
};

/** What a key service does, which gets nothing but the digest. Undefined = not such a digest. */
export function signDigest(
  key: KeyObject,
  digest: Uint8Array,
  algorithm: string,
): Buffer | undefined {
  const [, scheme, bits] = /^RSASSA_(PKCS1_V1_5|PSS)_SHA_(256|384|512)$/.exec(algorithm) ?? [];
  if (!isBits(bits) || digest.length !== Number(bits) / 8) return undefined;
  if (scheme === "PSS") {
    const padding = constants.RSA_NO_PADDING;
    return privateEncrypt({ key, padding }, encodePss(digest, key, `sha${bits}`));
  }
  const info = Buffer.concat([Buffer.from(DIGEST_INFO[bits], "hex"), digest]);
  return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, info);
}

function isBits(text: string | undefined): text is Bits {
  return text !== undefined && Object.hasOwn(DIGEST_INFO, text);
}

/**
 * EMSA-PSS-ENCODE (RFC 8017 9.1.1) with a salt as long as the digest:
 * H = Hash(8 zero bytes || digest || salt); EM = (DB xor MGF1(H)) || H || bc.
 * The modulus has a multiple of 8 bits, so one bit of the first byte stays clear.
 */
function encodePss(digest: Uint8Array, key: KeyObject, hash: string): Buffer {
  const size = (key.asymmetricKeyDetails?.modulusLength ?? 0) / 8;
  const salt = randomBytes(digest.length);
  const h = createHash(hash).update(Buffer.alloc(8)).update(digest).update(salt).digest();
  const db = Buffer.alloc(size - h.length - 1);
  db[db.length - salt.length - 1] = 1;
  salt.copy(db, db.length - salt.length);
  const mask = mgf1(h, db.length, hash);
  const masked = db.map((byte, index) => byte ^ (mask[index] ?? 0));
  masked[0] = (masked[0] ?? 0) & 0x7f;
  return Buffer.concat([masked, h, Buffer.of(0xbc)]);
}

/** RFC 8017 B.2.1 */
function mgf1(seed: Uint8Array, size: number, hash: string): Buffer {
  const blocks: Buffer[] = [];
  for (let counter = 0; blocks.length * seed.length < size; counter += 1) {
    const octets = Buffer.alloc(4);
    octets.writeUInt32BE(counter);
    blocks.push(createHash(hash).update(seed).update(octets).digest());
  }
  return Buffer.concat(blocks).subarray(0, size);
}
