import type { KeyObject } from "node:crypto";
import { createHash, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { OID } from "../der/oid.ts";
import {
  algorithm,
  bitString,
  boolean,
  context,
  derNull,
  integer,
  octetString,
  oid,
  sequence,
  time,
} from "../der/writer.ts";
import { digest } from "../hash.ts";
import type { Certificate } from "../x509/certificate.ts";
import { keyIdentifierFor, parseCertificate } from "../x509/certificate.ts";
import { encodeName, parseName } from "../x509/distinguished-name.ts";

/** A certificate with its key, for signatures that have something wrong with them. */
export type ForgedIdentity = {
  readonly certificate: Certificate;
  readonly key: KeyObject;
  readonly issuer: ForgedIdentity | undefined;
};

export type ForgedCertificateOptions = {
  readonly name?: string;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** Extended key usages; none leaves the extension out. */
  readonly usage?: readonly string[];
  readonly isCritical?: boolean;
  readonly isAuthority?: boolean;
  readonly hasKeyIdentifier?: boolean;
  readonly bits?: number;
  /** Certificates of one signature need separate keys: key identifiers identify them. */
  readonly key?: "issuer" | "author";
  readonly hash?: "sha1" | "sha256";
  /** Itself when absent. */
  readonly issuer?: ForgedIdentity;
};

const DAY_MS = 24 * 60 * 60 * 1000;
/** Making keys takes time, and nothing depends on whether two identities share one. */
const keys = new Map<string, KeyObject>();

const EXTENSIONS = { basicConstraints: "2.5.29.19", keyUsage: "2.5.29.15" } as const;
const SIGNED_WITH = { sha1: "1.2.840.113549.1.1.5", sha256: OID.sha256WithRsa } as const;

/** An X.509 certificate that is right unless told otherwise: RSA 2048, code signing, one year. */
export function forgeIdentity(options: ForgedCertificateOptions = {}): ForgedIdentity {
  const { name = "Forged", issuer, hash = "sha256", bits = 2048 } = options;
  const keyName = `${options.key ?? "shared"} ${bits}`;
  const key = keys.get(keyName) ?? generateKeyPairSync("rsa", { modulusLength: bits }).privateKey;
  keys.set(keyName, key);
  const subject = encodeName(parseName(`CN=${name}`));
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" });
  const {
    notBefore = new Date(Date.now() - DAY_MS),
    notAfter = new Date(notBefore.getTime() + 365 * DAY_MS),
  } = options;
  const signedWith = algorithm(SIGNED_WITH[hash], derNull);
  const serial = Uint8Array.from(digest("SHA256", Buffer.from(JSON.stringify(options.name))));
  serial[0] = 0x42;
  const tbs = sequence(
    context(0, integer(2)),
    integer(serial.subarray(0, 16)),
    signedWith,
    issuer?.certificate.subjectDer ?? subject,
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicKey,
    context(3, sequence(...extensionsOf(options, publicKey))),
  );
  const signature = sign(hash, tbs, issuer?.key ?? key);
  const der = sequence(tbs, signedWith, bitString(signature));
  return { certificate: parseCertificate(der), key, issuer };
}

/** SHA-1 of a certificate, which only old timestamps refer to. */
export function sha1Of({ der }: Certificate): Buffer {
  return createHash("sha1").update(der).digest();
}

function extensionsOf(options: ForgedCertificateOptions, publicKey: Uint8Array): Uint8Array[] {
  const { usage = [OID.codeSigning], isAuthority = false, hasKeyIdentifier = true } = options;
  const constraints = sequence(...(isAuthority ? [boolean(true)] : []));
  const keyUsage = isAuthority
    ? bitString(Uint8Array.of(0x86), 1)
    : bitString(Uint8Array.of(0x80), 7);
  return [
    extension(EXTENSIONS.basicConstraints, constraints, true),
    extension(EXTENSIONS.keyUsage, keyUsage, true),
    ...(usage.length > 0
      ? [extension(OID.extendedKeyUsage, sequence(...usage.map(oid)), options.isCritical ?? false)]
      : []),
    ...(hasKeyIdentifier
      ? [extension(OID.subjectKeyIdentifier, octetString(keyIdentifierFor(publicKey)), false)]
      : []),
  ];
}

function extension(dotted: string, value: Uint8Array, critical: boolean): Uint8Array {
  return sequence(oid(dotted), ...(critical ? [boolean(true)] : []), octetString(value));
}
