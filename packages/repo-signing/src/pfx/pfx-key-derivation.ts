import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";

/** Purpose of a derived key (RFC 7292, B.3). */
export const PURPOSE = { key: 1, iv: 2, mac: 3 } as const;

/** Octets of the digest, and of the block it works on. */
const SIZES = {
  sha1: { digest: 20, block: 64 },
  sha224: { digest: 28, block: 64 },
  sha256: { digest: 32, block: 64 },
  sha384: { digest: 48, block: 128 },
  sha512: { digest: 64, block: 128 },
} as const;

export type DerivationHash = keyof typeof SIZES;

/** About a millisecond of work, after which other work may run. */
const TURN = 500;

/**
 * The key derivation of PKCS#12 itself (RFC 7292, B.2), which old files use for everything and new
 * ones for their checksum. Gives way to other work while it runs.
 */
export async function derivePkcs12(options: {
  /** UTF-16, big-endian, with its terminator; empty for "no password". */
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
  readonly iterations: number;
  readonly hash: DerivationHash;
  readonly purpose: (typeof PURPOSE)[keyof typeof PURPOSE];
  /** Octets wanted. */
  readonly size: number;
}): Promise<Buffer> {
  const { digest, block } = SIZES[options.hash];
  const diversifier = Buffer.alloc(block, options.purpose);
  const input = Buffer.concat([filled(options.salt, block), filled(options.password, block)]);
  const parts: Buffer[] = [];
  for (let made = 0; made < options.size; made += digest) {
    let value = hash(options.hash, Buffer.concat([diversifier, input]), "buffer");
    for (let round = 1; round < options.iterations; round++) {
      value = hash(options.hash, value, "buffer");
      if (round % TURN === 0) await setImmediate();
    }
    parts.push(value);
    addToBlocks(input, filled(value, block), block);
  }
  return Buffer.concat(parts).subarray(0, options.size);
}

/** Repeated up to a whole number of blocks; nothing stays nothing. */
function filled(bytes: Uint8Array, block: number): Buffer {
  if (bytes.length === 0) return Buffer.alloc(0);
  return Buffer.alloc(Math.ceil(bytes.length / block) * block, bytes);
}

/** Every block becomes (block + addend + 1) mod 2^(8 * size), in place. */
function addToBlocks(blocks: Buffer, addend: Buffer, size: number): void {
  for (let start = 0; start < blocks.length; start += size) {
    let carry = 1;
    for (let index = size - 1; index >= 0; index--) {
      carry += (blocks[start + index] ?? 0) + (addend[index] ?? 0);
      blocks[start + index] = carry & 0xff;
      carry >>= 8;
    }
  }
}
