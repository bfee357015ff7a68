import { constants, createHash, sign } from "node:crypto";
import { OID } from "../der/oid.ts";
import { TAG } from "../der/reader.ts";
import {
  algorithm,
  context,
  contextPrimitive,
  derNull,
  encode,
  generalizedTime,
  ia5String,
  integer,
  octetString,
  oid,
  retag,
  sequence,
  sortedSet,
  time,
  utf8String,
} from "../der/writer.ts";
import type { ForgedIdentity } from "./forge-certificate.ts";
import { sha1Of } from "./forge-certificate.ts";

type Hash = "sha1" | "sha256" | "sha384" | "sha512";

/** Commitment type of a signature; signers must not write `both` and `neither`. */
export type ForgedKind = "author" | "repository" | "both" | "neither";

/** One signer, right unless told otherwise. Attributes that are `undefined` are left out. */
export type ForgedSigner = {
  readonly identity: ForgedIdentity;
  readonly kind?: ForgedKind;
  readonly hash?: Hash;
  readonly signedAt?: Date | undefined;
  readonly serviceIndexUrls?: readonly string[];
  /** An empty list makes an empty attribute. */
  readonly owners?: readonly string[] | undefined;
  readonly namedBy?: "key" | "issuer";
  readonly version?: number;
  readonly scheme?: "pkcs1" | "pss";
  /** Version of signing-certificate; old timestamps use the first. */
  readonly binding?: "v2" | "v1" | "none" | "without-serial" | "wrong";
  readonly messageDigest?: Uint8Array;
  readonly isCorrupt?: boolean;
  readonly moreSigned?: readonly Uint8Array[];
  /** Attributes over the finished signature: tokens, countersignatures. */
  readonly unsigned?: (signature: Uint8Array) => readonly Uint8Array[];
};

const HASH_OID: Readonly<Record<Hash, string>> = {
  sha1: OID.sha1,
  sha256: OID.sha256,
  sha384: OID.sha384,
  sha512: OID.sha512,
};
const HASH_BYTES: Readonly<Record<Hash, number>> = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 };

export function attribute(type: string, ...values: readonly Uint8Array[]): Uint8Array {
  return sequence(oid(type), sortedSet(TAG.set, values));
}

/** SignerInfo over `content`; `contentType` is left out on countersignatures. */
export function forgeSigner(
  signer: ForgedSigner,
  content: Uint8Array,
  contentType: string | undefined,
): Uint8Array {
  const { identity, hash = "sha256", scheme = "pkcs1", namedBy = "key" } = signer;
  const { certificate, key } = identity;
  const attributes = sortedSet(TAG.set, attributesOf(signer, content, contentType));
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: HASH_BYTES[hash] };
  const signature = sign(hash, attributes, { key, ...(scheme === "pss" && pss) });
  if (signer.isCorrupt === true) signature[9] = (signature[9] ?? 0) ^ 1;
  const identifier = namedBy === "key" ? certificate.subjectKeyIdentifier : undefined;
  const unsigned = signer.unsigned?.(signature) ?? [];
  return sequence(
    integer(signer.version ?? (identifier ? 3 : 1)),
    identifier
      ? contextPrimitive(0, identifier)
      : sequence(certificate.issuerDer, certificate.serialDer),
    algorithm(HASH_OID[hash]),
    retag(attributes, 0xa0),
    scheme === "pss" ? pssAlgorithm(hash) : algorithm(OID.rsaEncryption, derNull),
    octetString(signature),
    ...(unsigned.length > 0 ? [sortedSet(0xa1, unsigned)] : []),
  );
}

/** ContentInfo with SignedData around signers. */
export function forgeSignedData(
  content: Uint8Array,
  parts: {
    readonly signers: readonly Uint8Array[];
    readonly certificates: readonly ForgedIdentity[];
    readonly contentType?: string;
  },
): Uint8Array {
  const { contentType = OID.data, certificates, signers } = parts;
  const data = sequence(
    integer(contentType === OID.data ? 1 : 3),
    sortedSet(TAG.set, [algorithm(OID.sha256)]),
    sequence(oid(contentType), context(0, octetString(content))),
    ...(certificates.length > 0
      ? [
          sortedSet(
            0xa0,
            certificates.map((certificate) => certificate.certificate.der),
          ),
        ]
      : []),
    sortedSet(TAG.set, signers),
  );
  return sequence(oid(OID.signedData), context(0, data));
}

/** A timestamp token, valid by default. */
export type ForgedToken = {
  readonly authority: ForgedIdentity;
  readonly at: Date;
  readonly accuracy?: { readonly seconds?: number; readonly millis?: number };
  readonly policy?: string;
  readonly imprintHash?: Hash;
  /** Over something else than the signature. */
  readonly isOfOther?: boolean;
  readonly contentType?: string;
  readonly hasNoCertificate?: boolean;
  readonly isSignedTwice?: boolean;
  readonly signer?: Partial<ForgedSigner>;
};

/** The attribute with a token over `signature`; several tokens are values of one attribute. */
export function forgeTimestamps(
  signature: Uint8Array,
  ...tokens: readonly ForgedToken[]
): Uint8Array {
  return attribute(OID.timestampToken, ...tokens.map((token) => forgeToken(signature, token)));
}

function forgeToken(signature: Uint8Array, token: ForgedToken): Uint8Array {
  const {
    authority,
    at: stampTime,
    accuracy,
    imprintHash = "sha256",
    contentType = OID.tstInfo,
  } = token;
  const stamped = token.isOfOther === true ? Buffer.from("another") : signature;
  const content = sequence(
    integer(1),
    oid(token.policy ?? "1.3.6.1.4.1.99999.1"),
    sequence(
      algorithm(HASH_OID[imprintHash], derNull),
      octetString(createHash(imprintHash).update(stamped).digest()),
    ),
    integer(4711),
    generalizedTime(stampTime),
    ...(accuracy ? [accuracyOf(accuracy)] : []),
  );
  const signer = forgeSigner(
    {
      identity: authority,
      kind: "neither",
      signedAt: stampTime,
      namedBy: "issuer",
      ...token.signer,
    },
    content,
    contentType,
  );
  return forgeSignedData(content, {
    contentType,
    certificates: token.hasNoCertificate === true ? [] : [authority],
    signers: token.isSignedTwice === true ? [signer, signer] : [signer],
  });
}

function accuracyOf({ seconds, millis }: NonNullable<ForgedToken["accuracy"]>): Uint8Array {
  return sequence(
    ...(seconds === undefined ? [] : [integer(seconds)]),
    ...(millis === undefined ? [] : [retag(integer(millis), 0x80)]),
  );
}

function attributesOf(
  signer: ForgedSigner,
  content: Uint8Array,
  contentType: string | undefined,
): Uint8Array[] {
  const { kind = "repository", hash = "sha256", serviceIndexUrls, owners } = signer;
  const urls =
    serviceIndexUrls ?? (kind === "repository" ? ["https://forged.test/index.json"] : []);
  const signedAt = "signedAt" in signer ? signer.signedAt : new Date();
  const messageDigest = signer.messageDigest ?? createHash(hash).update(content).digest();
  const kinds = { author: [OID.proofOfOrigin], repository: [OID.proofOfReceipt], neither: [] };
  const commitments = kind === "both" ? [OID.proofOfOrigin, OID.proofOfReceipt] : kinds[kind];
  return [
    ...(contentType === undefined ? [] : [attribute(OID.contentType, oid(contentType))]),
    attribute(OID.messageDigest, octetString(messageDigest)),
    ...(signedAt ? [attribute(OID.signingTime, time(signedAt))] : []),
    ...bindingOf(signer),
    ...commitments.map((type) => attribute(OID.commitmentType, sequence(oid(type)))),
    ...urls.map((url) => attribute(OID.serviceIndexUrl, ia5String(url))),
    ...(owners ? [attribute(OID.packageOwners, sequence(...owners.map(utf8String)))] : []),
    ...(signer.moreSigned ?? []),
  ];
}

function bindingOf({ identity, binding = "v2", hash = "sha256" }: ForgedSigner): Uint8Array[] {
  const { certificate } = identity;
  const names = sequence(context(4, certificate.issuerDer));
  const issuerSerial = sequence(names, certificate.serialDer);
  const of = binding === "wrong" ? Buffer.from("another") : certificate.der;
  switch (binding) {
    case "none":
      return [];
    case "v1": {
      const identifier = sequence(octetString(sha1Of(certificate)), issuerSerial);
      return [attribute(OID.signingCertificate, sequence(sequence(identifier)))];
    }
    case "v2":
    case "without-serial":
    case "wrong": {
      const used = hash === "sha1" ? "sha256" : hash;
      const identifier = sequence(
        ...(used === "sha256" ? [] : [algorithm(HASH_OID[used])]),
        octetString(createHash(used).update(of).digest()),
        ...(binding === "without-serial" ? [] : [issuerSerial]),
      );
      return [attribute(OID.signingCertificateV2, sequence(sequence(identifier)))];
    }
  }
}

function pssAlgorithm(hash: Hash): Uint8Array {
  const hashAlgorithm = algorithm(HASH_OID[hash], derNull);
  return algorithm(
    OID.rsassaPss,
    sequence(
      context(0, hashAlgorithm),
      context(1, algorithm(OID.mgf1, hashAlgorithm)),
      context(2, integer(HASH_BYTES[hash])),
    ),
  );
}

/** `bytes` as a constructed OCTET STRING of indefinite length, as streaming writers leave it. */
export function inParts(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([
    Uint8Array.of(0x24, 0x80),
    encode(TAG.octetString, bytes),
    Uint8Array.of(0, 0),
  ]);
}
