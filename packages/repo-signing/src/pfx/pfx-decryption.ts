import { createDecipheriv, createHmac, pbkdf2, scrypt, timingSafeEqual } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import type Forge from "node-forge";
import { OID } from "../der/oid.ts";
import type { Der } from "../der/reader.ts";
import { DerError, octetsOf, oidOf, sequenceOf, smallIntegerOf, TAG } from "../der/reader.ts";
import type { DerivationHash } from "./pfx-key-derivation.ts";
import { derivePkcs12, PURPOSE } from "./pfx-key-derivation.ts";

// What PKCS#12 and PKCS#8 files are protected with: PBES2 (RFC 8018) in new ones, the schemes of
// RFC 7292 appendix C in old ones.

/** A password in the two spellings that the schemes want. */
export type Secret = {
  readonly utf8: Uint8Array;
  /** UTF-16, big-endian, with its terminator. */
  readonly utf16: Uint8Array;
  /** Rounds of key derivation that may still be done, so that no file keeps us busy for long. */
  readonly budget: { rounds: number };
};

/** The file asks for something that is not read here. */
export class UnsupportedError extends Error {
  override readonly name = "UnsupportedError";
  readonly code = "pfx-unsupported";
}

/** All rounds of one file: seconds of work, and ten times what writers use. */
const ROUNDS_MAX = 5_000_000;
const SCRYPT_MEMORY_MAX = 64 * 1024 * 1024;

/**
 * An empty password can mean two things: a text of length zero, or no password at all. Writers
 * differ, so both are tried.
 */
export function secretsOf(password: string): readonly Secret[] {
  const utf8 = Buffer.from(password, "utf8");
  const budget = { rounds: ROUNDS_MAX };
  const terminated = Buffer.from(`${password}\0`, "utf16le").swap16();
  const secret = { utf8, utf16: terminated, budget };
  return password === "" ? [secret, { ...secret, utf16: Buffer.alloc(0) }] : [secret];
}

/** @throws what the cipher throws when the password does not fit */
export async function decrypt(
  algorithm: Der | undefined,
  ciphertext: Uint8Array,
  secret: Secret,
): Promise<Uint8Array> {
  const [type, parameters] = sequenceOf(algorithm, "encryption");
  const scheme = oidOf(type, "encryption");
  if (scheme === PBES2) return decryptPbes2(parameters, ciphertext, secret);
  const legacy = LEGACY_SCHEMES.get(scheme);
  if (!legacy) throw new UnsupportedError(`the encryption ${scheme}`);
  const [salt, rounds] = sequenceOf(parameters, "parameters of the encryption");
  const common = {
    password: secret.utf16,
    salt: octetsOf(salt, "salt"),
    iterations: spent(secret, rounds, legacy.keyBits > 160 ? 3 : 2),
    hash: "sha1",
  } as const;
  const keySize = legacy.keyBits / 8;
  const key = await derivePkcs12({ ...common, purpose: PURPOSE.key, size: keySize });
  const iv = await derivePkcs12({ ...common, purpose: PURPOSE.iv, size: 8 });
  if (legacy.cipher === "rc2") return decryptRc2(ciphertext, { key, iv, bits: legacy.keyBits });
  return decipher(legacy.cipher, ciphertext, { key, iv });
}

/** Whether the checksum over the contents fits: MacData of PKCS#12, or PBMAC1 (RFC 9579). */
export async function isMacRight(
  macData: Der,
  contents: Uint8Array,
  secret: Secret,
): Promise<boolean> {
  const [digestInfo, salt, rounds] = sequenceOf(macData, "checksum");
  const [algorithm, expected] = sequenceOf(digestInfo, "checksum");
  const [type, parameters] = sequenceOf(algorithm, "checksum");
  const name = oidOf(type, "checksum");
  const expectedBytes = octetsOf(expected, "checksum");
  const { hash, key } =
    name === PBMAC1
      ? await pbmac1(parameters, secret)
      : await classicMac(name, { salt: octetsOf(salt, "salt"), rounds, secret });
  const actual = createHmac(hash, key).update(contents).digest();
  return actual.length === expectedBytes.length && timingSafeEqual(actual, expectedBytes);
}

const PBES2 = "1.2.840.113549.1.5.13";
const PBKDF2 = "1.2.840.113549.1.5.12";
const PBMAC1 = "1.2.840.113549.1.5.14";
const SCRYPT = "1.3.6.1.4.1.11591.4.11";

const LEGACY_SCHEMES: ReadonlyMap<
  string,
  { readonly cipher: "des-ede3-cbc" | "des-ede-cbc" | "rc2"; readonly keyBits: number }
> = new Map([
  ["1.2.840.113549.1.12.1.3", { cipher: "des-ede3-cbc", keyBits: 192 }],
  ["1.2.840.113549.1.12.1.4", { cipher: "des-ede-cbc", keyBits: 128 }],
  ["1.2.840.113549.1.12.1.5", { cipher: "rc2", keyBits: 128 }],
  ["1.2.840.113549.1.12.1.6", { cipher: "rc2", keyBits: 40 }],
]);

const CIPHERS: ReadonlyMap<string, { readonly cipher: string; readonly keySize: number }> = new Map(
  [
    ["2.16.840.1.101.3.4.1.2", { cipher: "aes-128-cbc", keySize: 16 }],
    ["2.16.840.1.101.3.4.1.22", { cipher: "aes-192-cbc", keySize: 24 }],
    ["2.16.840.1.101.3.4.1.42", { cipher: "aes-256-cbc", keySize: 32 }],
    ["1.2.840.113549.3.7", { cipher: "des-ede3-cbc", keySize: 24 }],
  ],
);

const HMACS: ReadonlyMap<string, DerivationHash> = new Map([
  ["1.2.840.113549.2.7", "sha1"],
  ["1.2.840.113549.2.8", "sha224"],
  ["1.2.840.113549.2.9", "sha256"],
  ["1.2.840.113549.2.10", "sha384"],
  ["1.2.840.113549.2.11", "sha512"],
]);

const HASHES: ReadonlyMap<string, DerivationHash> = new Map([
  [OID.sha1, "sha1"],
  ["2.16.840.1.101.3.4.2.4", "sha224"],
  [OID.sha256, "sha256"],
  [OID.sha384, "sha384"],
  [OID.sha512, "sha512"],
]);

/** PBES2-params ::= SEQUENCE { keyDerivationFunc, encryptionScheme } */
async function decryptPbes2(
  parameters: Der | undefined,
  ciphertext: Uint8Array,
  secret: Secret,
): Promise<Uint8Array> {
  const [derivation, encryption] = sequenceOf(parameters, "parameters of the encryption");
  const [type, iv] = sequenceOf(encryption, "encryption");
  const scheme = oidOf(type, "encryption");
  const suite = CIPHERS.get(scheme);
  if (!suite) throw new UnsupportedError(`the encryption ${scheme}`);
  const key = await derived(derivation, suite.keySize, secret);
  return decipher(suite.cipher, ciphertext, { key, iv: octetsOf(iv, "initialisation vector") });
}

/** `size` is what the cipher takes, whatever the file says. */
async function derived(
  derivation: Der | undefined,
  size: number,
  secret: Secret,
): Promise<Uint8Array> {
  const [type, parameters] = sequenceOf(derivation, "key derivation");
  const name = oidOf(type, "key derivation");
  const [salt, ...numbers] = sequenceOf(parameters, "parameters of the key derivation");
  const salted = octetsOf(salt, "salt");
  if (name === SCRYPT) return derivedByScrypt(salted, numbers, { size, secret });
  if (name !== PBKDF2) throw new UnsupportedError(`the key derivation ${name}`);
  const rounds = spent(secret, numbers[0], 1);
  const prf = numbers.find((number) => number.tag === TAG.sequence);
  const prfName = prf && oidOf(sequenceOf(prf, "function")[0], "function");
  const hash = prfName === undefined ? "sha1" : HMACS.get(prfName);
  if (hash === undefined) throw new UnsupportedError(`the function ${prfName}`);
  return promisify(pbkdf2)(secret.utf8, salted, rounds, size, hash);
}

/** scrypt-params ::= SEQUENCE { salt, cost, blockSize, parallelization, keyLength } (RFC 7914) */
async function derivedByScrypt(
  salt: Uint8Array,
  [cost, block, parallel]: readonly Der[],
  { size, secret }: { readonly size: number; readonly secret: Secret },
): Promise<Uint8Array> {
  const options = {
    cost: smallIntegerOf(cost, "cost"),
    blockSize: smallIntegerOf(block, "block size"),
    parallelization: smallIntegerOf(parallel, "parallelization"),
    maxmem: SCRYPT_MEMORY_MAX,
  };
  spend(secret, options.cost * options.blockSize * options.parallelization);
  return new Promise((resolve, reject) => {
    scrypt(secret.utf8, salt, size, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

type MacKey = { readonly hash: DerivationHash; readonly key: Uint8Array };

/** PBMAC1-params ::= SEQUENCE { keyDerivationFunc, messageAuthScheme }; the length is required. */
async function pbmac1(parameters: Der | undefined, secret: Secret): Promise<MacKey> {
  const [derivation, scheme] = sequenceOf(parameters, "parameters of the checksum");
  const name = oidOf(sequenceOf(scheme, "checksum")[0], "checksum");
  const hash = HMACS.get(name);
  if (hash === undefined) throw new UnsupportedError(`the checksum ${name}`);
  const [, pbkdf2Parameters] = sequenceOf(derivation, "key derivation");
  const [, , length] = sequenceOf(pbkdf2Parameters, "parameters of the key derivation");
  const size = smallIntegerOf(length, "key length");
  if (size > 64) throw new DerError("the key length is out of range");
  return { hash, key: await derived(derivation, size, secret) };
}

async function classicMac(
  name: string,
  options: {
    readonly salt: Uint8Array;
    readonly rounds: Der | undefined;
    readonly secret: Secret;
  },
): Promise<MacKey> {
  const { salt, rounds, secret } = options;
  const hash = HASHES.get(name);
  if (hash === undefined) throw new UnsupportedError(`the checksum ${name}`);
  const size = createHmac(hash, "").digest().length;
  const iterations = rounds ? spent(secret, rounds, 1) : 1;
  const password = secret.utf16;
  const key = await derivePkcs12({
    password,
    salt,
    iterations,
    hash,
    purpose: PURPOSE.mac,
    size,
  });
  return { hash, key };
}

/** The number of rounds in the file, taken from the budget `times`. */
function spent(secret: Secret, rounds: Der | undefined, times: number): number {
  const count = smallIntegerOf(rounds, "number of rounds");
  if (count < 1) throw new DerError("the number of rounds is zero");
  spend(secret, count * times);
  return count;
}

function spend({ budget }: Secret, rounds: number): void {
  budget.rounds -= rounds;
  if (budget.rounds < 0) {
    throw new UnsupportedError(`more than ${ROUNDS_MAX} rounds of key derivation`);
  }
}

type Keyed = { readonly key: Uint8Array; readonly iv: Uint8Array };

function decipher(cipher: string, ciphertext: Uint8Array, { key, iv }: Keyed): Uint8Array {
  const deciphering = createDecipheriv(cipher, key, iv);
  return Buffer.concat([deciphering.update(ciphertext), deciphering.final()]);
}

const RC2_BLOCK = 8;
/** Octets that are decrypted before other work may run. */
const RC2_TURN = 8192;

/** Loads the optional peer that has RC2. @throws PeerMissingError when it is not installed */
async function loadForge(): Promise<typeof Forge> {
  // Few files need it, and the thread for certificates imports no other package of ours.
  const { loadPeer } = await import("@sealhouse/settings");
  const manifest = import.meta.resolve("@sealhouse/repo-signing/package.json");
  const peers = { feature: "RC2, a cipher of old files,", packages: ["node-forge"], manifest };
  const { default: forge } = await loadPeer(peers, () => import("node-forge"));
  return forge;
}

/** RC2 is the one cipher that OpenSSL no longer has without being asked. */
async function decryptRc2(
  ciphertext: Uint8Array,
  { key, iv, bits }: Keyed & { readonly bits: number },
): Promise<Uint8Array> {
  const forge = await loadForge();
  const binary = (bytes: Uint8Array) =>
    forge.util.createBuffer(Buffer.from(bytes).toString("latin1"));
  const cipher = forge.rc2.createDecryptionCipher(binary(key), bits);
  cipher.start(binary(iv));
  for (let offset = 0; offset < ciphertext.length; offset += RC2_TURN) {
    cipher.update(binary(ciphertext.subarray(offset, offset + RC2_TURN)));
    await setImmediate();
  }
  const isWhole = cipher.finish(() => true);
  const plain = Buffer.from(cipher.output.getBytes(), "latin1");
  const padding = plain.at(-1) ?? 0;
  const isPadded =
    isWhole &&
    padding >= 1 &&
    padding <= Math.min(RC2_BLOCK, plain.length) &&
    plain.subarray(-padding).every((octet) => octet === padding);
  if (!isPadded) throw new Error("the padding is wrong");
  return plain.subarray(0, -padding);
}
