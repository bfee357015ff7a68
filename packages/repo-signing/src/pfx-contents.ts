import { derFromBer } from "./der/from-ber.ts";
import { OID } from "./der/oid.ts";
import type { Der } from "./der/reader.ts";
import {
  childrenOf,
  DerError,
  octetsOf,
  oidOf,
  readDer,
  sequenceOf,
  smallIntegerOf,
} from "./der/reader.ts";
import type { Secret } from "./pfx-decryption.ts";
import { decrypt, UnsupportedError } from "./pfx-decryption.ts";

const ENCRYPTED_DATA = "1.2.840.113549.1.7.6";
const X509_CERTIFICATE = "1.2.840.113549.1.9.22.1";
const BAG = {
  key: "1.2.840.113549.1.12.10.1.1",
  shroudedKey: "1.2.840.113549.1.12.10.1.2",
  certificate: "1.2.840.113549.1.12.10.1.3",
  nested: "1.2.840.113549.1.12.10.1.6",
} as const;

const PFX_VERSION = 3;
const DEPTH_MAX = 4;
const BAGS_MAX = 200;

/** A PKCS#12 file, taken apart; nothing is decrypted yet. */
export type PfxFile = {
  /** AuthenticatedSafe, DER; what the checksum is over stands in `checked`. */
  readonly contents: Uint8Array;
  readonly checked: Uint8Array;
  readonly macData: Der | undefined;
};

/** What a file holds that matters here; the rest (CRLs, secrets) is left out. */
export type PfxBags = {
  /** PrivateKeyInfo, DER. */
  readonly keys: readonly Uint8Array[];
  /** DER. */
  readonly certificates: readonly Uint8Array[];
};

/**
 * PFX ::= SEQUENCE { version INTEGER {v3(3)}, authSafe ContentInfo, macData MacData OPTIONAL }
 * (RFC 7292, 4)
 *
 * @throws DerError when it is no PKCS#12 file
 */
export function parsePfx(bytes: Uint8Array): PfxFile {
  const [version, authSafe, macData] = sequenceOf(readDer(derFromBer(bytes)), "file");
  if (smallIntegerOf(version, "version") !== PFX_VERSION) {
    throw new DerError("the version of the file is not 3");
  }
  const [type, content] = sequenceOf(authSafe, "contents");
  if (oidOf(type, "contents") !== OID.data) {
    throw new UnsupportedError("protection with a key in place of a password");
  }
  const checked = octetsOf(explicit(content, "contents"), "contents");
  return { contents: derFromBer(checked), checked, macData };
}

/** Decrypts everything. @throws what the ciphers throw when the password does not fit */
export async function bagsOf(file: PfxFile, secret: Secret): Promise<PfxBags> {
  const found = { keys: [], certificates: [], left: BAGS_MAX };
  // AuthenticatedSafe ::= SEQUENCE OF ContentInfo
  for (const part of sequenceOf(readDer(file.contents), "contents")) {
    const safe = await safeContents(part, secret);
    await collect(readDer(derFromBer(safe)), { secret, found, depth: 0 });
  }
  return found;
}

/** EncryptedPrivateKeyInfo ::= SEQUENCE { encryptionAlgorithm, encryptedData OCTET STRING } */
export async function decryptKey(der: Uint8Array, secret: Secret): Promise<Uint8Array> {
  const [algorithm, data] = sequenceOf(readDer(der), "encrypted key");
  return decrypt(algorithm, octetsOf(data, "encrypted key"), secret);
}

async function safeContents(part: Der, secret: Secret): Promise<Uint8Array> {
  const [type, content] = sequenceOf(part, "part of the contents");
  const name = oidOf(type, "part of the contents");
  if (name === OID.data) return octetsOf(explicit(content, "part"), "part of the contents");
  if (name !== ENCRYPTED_DATA) {
    throw new UnsupportedError("protection with a key in place of a password");
  }
  // EncryptedData ::= SEQUENCE { version, EncryptedContentInfo }, which is
  // SEQUENCE { contentType, contentEncryptionAlgorithm, [0] IMPLICIT OCTET STRING }
  const [, info] = sequenceOf(explicit(content, "part"), "encrypted part");
  const [, algorithm, encrypted] = sequenceOf(info, "encrypted part");
  return decrypt(algorithm, implicitOctets(encrypted), secret);
}

/** BER allows it in pieces. */
function implicitOctets(der: Der | undefined): Uint8Array {
  if (der?.tag === 0x80) return der.body;
  if (der?.tag !== 0xa0) throw new DerError("the encrypted part is missing");
  return Buffer.concat(childrenOf(der).map((piece) => octetsOf(piece, "encrypted part")));
}

type Collecting = {
  readonly secret: Secret;
  readonly found: {
    readonly keys: Uint8Array[];
    readonly certificates: Uint8Array[];
    left: number;
  };
  readonly depth: number;
};

/**
 * SafeContents ::= SEQUENCE OF SafeBag;
 * SafeBag ::= SEQUENCE { bagId, [0] bagValue, bagAttributes OPTIONAL }
 */
async function collect(safe: Der, into: Collecting): Promise<void> {
  const { secret, found, depth } = into;
  if (depth > DEPTH_MAX) throw new DerError("the contents are nested too deeply");
  for (const bag of sequenceOf(safe, "bags")) {
    found.left -= 1;
    if (found.left < 0) throw new DerError(`it holds more than ${BAGS_MAX} keys and certificates`);
    const [type, wrapped] = sequenceOf(bag, "bag");
    const value = explicit(wrapped, "bag");
    switch (oidOf(type, "bag")) {
      case BAG.key:
        found.keys.push(value.raw);
        break;
      case BAG.shroudedKey:
        found.keys.push(await decryptKey(value.raw, secret));
        break;
      case BAG.certificate:
        found.certificates.push(...certificateIn(value));
        break;
      case BAG.nested:
        await collect(value, { ...into, depth: depth + 1 });
        break;
    }
  }
}

/** CertBag ::= SEQUENCE { certId, [0] EXPLICIT certValue }; another kind of certificate is none. */
function certificateIn(bag: Der): readonly Uint8Array[] {
  const [type, value] = sequenceOf(bag, "certificate");
  if (oidOf(type, "certificate") !== X509_CERTIFICATE) return [];
  return [octetsOf(explicit(value, "certificate"), "certificate")];
}

/** What stands inside `[0] EXPLICIT`. */
function explicit(der: Der | undefined, what: string): Der {
  if (der?.tag !== 0xa0) throw new DerError(`${what} is missing`);
  const [value, ...more] = childrenOf(der);
  if (!value || more.length > 0) throw new DerError(`${what} is not one value`);
  return value;
}
