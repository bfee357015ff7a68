import type * as asn1js from "asn1js";
import type * as pkijs from "pkijs";
import { OID } from "../der/oid.ts";
import type { Der } from "../der/reader.ts";
import { DerError, octetsOf, readDer, sequenceOf } from "../der/reader.ts";
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
const NESTED_MAX = 4;
const BAGS_MAX = 200;
/** For each of the file, its contents and each decrypted part. */
const LIMITS = { maxDepth: 32, maxNodes: 10_000 } as const;

/** A parsed PKCS#12 file; nothing is decrypted yet. */
export type PfxFile = {
  /** The parts of the contents. */
  readonly parts: readonly pkijs.ContentInfo[];
  /** The bytes that the checksum covers. */
  readonly checked: Uint8Array;
  readonly macData: Der | undefined;
};

/** The keys and certificates of a file; other contents are left out. */
export type PfxBags = {
  /** PrivateKeyInfo, DER. */
  readonly keys: readonly Uint8Array[];
  /** DER. */
  readonly certificates: readonly Uint8Array[];
};

type Library = { readonly asn1: typeof asn1js; readonly pki: typeof pkijs };

async function openLibrary(): Promise<Library> {
  return { asn1: await import("asn1js"), pki: await import("pkijs") };
}

/**
 * Parses a PKCS#12 file (RFC 7292 4). BER is accepted: indefinite lengths, octets in pieces.
 *
 * @throws DerError when it is not a PKCS#12 file
 * @throws UnsupportedError when it is protected by a key instead of a password
 */
export async function parsePfx(bytes: Uint8Array): Promise<PfxFile> {
  const { asn1, pki } = await openLibrary();
  const [version, authSafe, mac] = childrenOf(asn1, parsed(asn1, bytes), "file");
  return reading("file", () => {
    // The library cuts numbers of more than 32 bits in the checksum, and wants it in one piece.
    const schema = new asn1.Sequence({ value: [version, authSafe].filter(isPresent) });
    const pfx = new pki.PFX({ schema });
    if (pfx.version !== PFX_VERSION) throw new DerError("the version of the file is not 3");
    if (pfx.authSafe.contentType !== OID.data) {
      throw new UnsupportedError("protection with a key in place of a password");
    }
    const checked = octetsIn(asn1, pfx.authSafe.content, "contents");
    const safe = new pki.AuthenticatedSafe({ schema: parsed(asn1, checked) });
    const macData = mac && readDer(new Uint8Array(inOnePiece(asn1, mac).toBER()));
    return { parts: safe.safeContents, checked, macData };
  });
}

/** Decrypts the contents. @throws what the ciphers throw when the password does not fit */
export async function bagsOf({ parts }: PfxFile, secret: Secret): Promise<PfxBags> {
  const library = await openLibrary();
  const bags = { keys: [], certificates: [], left: BAGS_MAX };
  for (const part of parts) {
    const safe = parsed(library.asn1, await safeContents(library, part, secret));
    await collect(safe, { library, secret, contents: bags, depth: 0 });
  }
  return bags;
}

/** Decrypts an EncryptedPrivateKeyInfo (RFC 5958 3), DER. */
export async function decryptKey(der: Uint8Array, secret: Secret): Promise<Uint8Array> {
  const [algorithm, data] = sequenceOf(readDer(der), "encrypted key");
  return decrypt(algorithm, octetsOf(data, "encrypted key"), secret);
}

async function safeContents(
  { asn1, pki }: Library,
  { contentType, content }: pkijs.ContentInfo,
  secret: Secret,
): Promise<Uint8Array> {
  if (contentType === OID.data) return octetsIn(asn1, content, "part of the contents");
  if (contentType !== ENCRYPTED_DATA) {
    throw new UnsupportedError("protection with a key in place of a password");
  }
  const { algorithm, encrypted } = reading("encrypted part", () => {
    const { encryptedContentInfo: info } = new pki.EncryptedData({ schema: content });
    return {
      algorithm: derOf(info.contentEncryptionAlgorithm),
      encrypted: new Uint8Array(info.getEncryptedContent()),
    };
  });
  return decrypt(algorithm, encrypted, secret);
}

type Collecting = {
  readonly library: Library;
  readonly secret: Secret;
  readonly contents: {
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
async function collect(safe: asn1js.AsnType, into: Collecting): Promise<void> {
  const { library, secret, contents: bags, depth } = into;
  if (depth > NESTED_MAX) throw new DerError("the contents are nested too deeply");
  for (const bag of childrenOf(library.asn1, safe, "list of keys and certificates")) {
    bags.left -= 1;
    if (bags.left < 0) throw new DerError(`it holds more than ${BAGS_MAX} keys and certificates`);
    const { type, value } = typedValue(library.asn1, bag, "bag");
    switch (type) {
      case BAG.key:
        bags.keys.push(keyIn(library, value));
        break;
      case BAG.shroudedKey:
        bags.keys.push(await shroudedKeyIn(library, value, secret));
        break;
      case BAG.certificate:
        bags.certificates.push(...certificateIn(library, value));
        break;
      case BAG.nested:
        await collect(value, { ...into, depth: depth + 1 });
        break;
    }
  }
}

function keyIn({ pki }: Library, schema: asn1js.AsnType): Uint8Array {
  return reading("key", () => derOf(new pki.PrivateKeyInfo({ schema })).raw);
}

function shroudedKeyIn(
  { pki }: Library,
  schema: asn1js.AsnType,
  secret: Secret,
): Promise<Uint8Array> {
  const { algorithm, encrypted } = reading("encrypted key", () => {
    const bag = new pki.PKCS8ShroudedKeyBag({ schema });
    return {
      algorithm: derOf(bag.encryptionAlgorithm),
      encrypted: new Uint8Array(bag.encryptedData.getValue()),
    };
  });
  return decrypt(algorithm, encrypted, secret);
}

/** CertBag ::= SEQUENCE { certId, [0] EXPLICIT certValue }; other kinds of certificates are left
 * out. The library's `CertBag` would refuse the file, and parse the certificate without limits. */
function certificateIn({ asn1 }: Library, bag: asn1js.AsnType): readonly Uint8Array[] {
  const { type, value } = typedValue(asn1, bag, "certificate");
  return type === X509_CERTIFICATE ? [octetsIn(asn1, value, "certificate")] : [];
}

/** The value and its type of SEQUENCE { OBJECT IDENTIFIER, [0] EXPLICIT value, … }. */
function typedValue(
  asn1: typeof asn1js,
  bag: asn1js.AsnType,
  what: string,
): { readonly type: string; readonly value: asn1js.AsnType } {
  const [id, wrapped] = childrenOf(asn1, bag, what);
  if (!(id instanceof asn1.ObjectIdentifier))
    throw new DerError(`the type of the ${what} is missing`);
  if (!(wrapped instanceof asn1.Constructed) || wrapped.idBlock.tagNumber !== 0) {
    throw new DerError(`the value of the ${what} is missing`);
  }
  const [value, ...more] = wrapped.valueBlock.value;
  if (!value || more.length > 0) throw new DerError(`the ${what} is not one value`);
  return { type: id.valueBlock.toString(), value };
}

function childrenOf(
  asn1: typeof asn1js,
  value: asn1js.AsnType,
  what: string,
): readonly asn1js.AsnType[] {
  if (value instanceof asn1.Sequence) return value.valueBlock.value;
  throw new DerError(`the ${what} is not a sequence`);
}

function octetsIn(asn1: typeof asn1js, value: unknown, what: string): Uint8Array {
  if (value instanceof asn1.OctetString) return new Uint8Array(value.getValue());
  throw new DerError(`the ${what} is not an octet string`);
}

function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** The same value with definite lengths, and with each octet string in one piece. */
function inOnePiece(asn1: typeof asn1js, value: asn1js.AsnType): asn1js.AsnType {
  if (value instanceof asn1.OctetString)
    return new asn1.OctetString({ valueHex: value.getValue() });
  if (!(value instanceof asn1.Sequence)) return value;
  return new asn1.Sequence({
    value: value.valueBlock.value.map((block) => inOnePiece(asn1, block)),
  });
}

/** The value in the form that ciphers and checksums read. */
function derOf(value: { toSchema(): asn1js.AsnType }): Der {
  return readDer(new Uint8Array(value.toSchema().toBER()));
}

/** One value of BER that fills `bytes`. @throws DerError */
function parsed({ fromBER }: typeof asn1js, bytes: Uint8Array): asn1js.AsnType {
  const { offset, result } = reading("file", () => fromBER(Uint8Array.from(bytes), LIMITS));
  if (offset === bytes.length) return result;
  throw new DerError(offset < 0 ? problemOf(result.error) : "there are bytes after the value");
}

/** The library's words for its limits and for a file that is cut off, in ours. */
function problemOf(error: string): string {
  if (/depth/i.test(error)) return "the values are nested too deeply";
  if (/nodes/i.test(error)) return "there are too many values";
  return "the value is cut off";
}

/** Runs a constructor of the library, which throws errors of many kinds. @throws DerError */
function reading<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof DerError || cause instanceof UnsupportedError) throw cause;
    throw new DerError(`the ${what} is malformed`, { cause });
  }
}
