import type { KeyObject } from "node:crypto";
import { generateKeyPair } from "node:crypto";
import { OID } from "../der/oid.ts";
import { readDer } from "../der/reader.ts";
import type { HashName } from "../hash.ts";
import { signPkcs1 } from "./key-signer.ts";
import type { KeyWithCertificate } from "./key-signer.ts";
import type { Certificate } from "../x509/certificate.ts";
import { problemsOf } from "../x509/certificate-rules.ts";
import type { NamePart } from "../x509/distinguished-name.ts";
import { encodeName, isSameName, parseName } from "../x509/distinguished-name.ts";
import { issueCertificate } from "../x509/issue-certificate.ts";

// One certificate that the repository makes for itself: its content, its file, how long it lasts.

/** Subject of a self-signed certificate: a complete name, or its parts. */
export type SelfSignedSubject =
  /** A complete name, most specific part first: `CN=Example, O=Acme, C=DE`. */
  | { readonly subjectName: string }
  | {
      readonly serverName: string;
      readonly organization?: string;
      readonly organizationalUnit?: string;
      /** Two letters. */
      readonly country?: string;
    };

/** Properties of a new certificate. */
export type CertificateProfile = {
  readonly subject: SelfSignedSubject;
  readonly keySize: 2048 | 3072 | 4096;
  /** 1 to 3650. */
  readonly validityInDays: number;
  readonly hash: HashName;
};

const DAY_MS = 24 * 60 * 60 * 1000;
export const VALIDITY_DAYS_MAX = 3650;
/** Clients refuse a certificate that begins in their future, and clocks differ. */
const BACKDATED_MS = DAY_MS;
const RENEWED_BEFORE_MS = 7 * DAY_MS;
/** Milliseconds before its end after which a certificate no longer signs. */
export const UNUSABLE_BEFORE_MS = 5 * 60 * 1000;
const SERIAL_BYTES = 20;

/** Throws a RangeError for a subject or validity that cannot be. */
export function checkSelfSigned(
  profile: Pick<CertificateProfile, "subject" | "validityInDays">,
): void {
  checkedSubject(profile);
}

/** Whether clients accept what it signs now. */
export function canSign(certificate: Certificate, now: Date): boolean {
  const leftMs = certificate.notAfter.getTime() - now.getTime();
  return leftMs > UNUSABLE_BEFORE_MS && problemsOf(certificate, now).length === 0;
}

/** Whether the settings would make the same certificate again. */
export function matchesProfile(
  certificate: Certificate,
  key: KeyObject,
  profile: CertificateProfile,
): boolean {
  const lifeMs = certificate.notAfter.getTime() - certificate.notBefore.getTime();
  return (
    isSameName(readDer(certificate.subjectDer), checkedSubject(profile)) &&
    key.asymmetricKeyDetails?.modulusLength === profile.keySize &&
    certificate.signatureAlgorithm === RSA_WITH[profile.hash] &&
    lifeMs === lifeOf(profile.validityInDays)
  );
}

const RSA_WITH: Readonly<Record<HashName, string>> = {
  SHA256: OID.sha256WithRsa,
  SHA384: OID.sha384WithRsa,
  SHA512: OID.sha512WithRsa,
};

/** Whether it needs no successor yet. */
export function hasTimeLeft(certificate: Certificate, now: Date): boolean {
  // A certificate for less than a fortnight is used for the first half of its days.
  const lifeMs = certificate.notAfter.getTime() - certificate.notBefore.getTime();
  const marginMs = Math.min(RENEWED_BEFORE_MS, (lifeMs - BACKDATED_MS) / 2);
  return certificate.notAfter.getTime() - now.getTime() > marginMs;
}

/** Contents of a new certificate, as another thread can take them. */
export type OwnCertificate = CertificateProfile & {
  readonly now: Date;
  /** 20 random bytes. */
  readonly serial: Uint8Array;
};

/** @throws RangeError for a subject or validity that cannot be */
export function ownCertificateOf(
  options: CertificateProfile & {
    readonly now: () => Date;
    readonly randomBytes: (count: number) => Uint8Array;
  },
): OwnCertificate {
  checkSelfSigned(options);
  const { subject, keySize, validityInDays, hash } = options;
  const serial = Uint8Array.from(options.randomBytes(SERIAL_BYTES));
  return { subject, keySize, validityInDays, hash, now: options.now(), serial };
}

/** Makes a key and its certificate in this thread, which the library holds up. */
export async function createOwn(options: OwnCertificate): Promise<KeyWithCertificate> {
  const parts = checkedSubject(options);
  const { key, publicKey } = await generateRsa(options.keySize);
  const name = encodeName(parts);
  const { hash, validityInDays, serial } = options;
  const now = Math.floor(options.now.getTime() / 1000) * 1000;
  const notBefore = new Date(now - BACKDATED_MS);
  const der = await issueCertificate(
    {
      subject: name,
      notBefore,
      notAfter: new Date(notBefore.getTime() + lifeOf(validityInDays)),
      serial,
      publicKey,
      purpose: { type: "end-entity", usage: OID.codeSigning, critical: false },
    },
    { name, publicKey, hash, sign: (data) => signPkcs1(data, key, hash) },
  );
  return { key, chain: [der] };
}

/** The days asked for count from now, but the whole life stays within the limit. */
function lifeOf(validityInDays: number): number {
  return Math.min(validityInDays * DAY_MS + BACKDATED_MS, VALIDITY_DAYS_MAX * DAY_MS);
}

function generateRsa(bits: number): Promise<{ key: KeyObject; publicKey: Uint8Array }> {
  return new Promise((resolve, reject) => {
    generateKeyPair("rsa", { modulusLength: bits }, (error, publicKey, key) => {
      if (error) reject(error);
      else resolve({ key, publicKey: publicKey.export({ format: "der", type: "spki" }) });
    });
  });
}

function checkedSubject({
  subject,
  validityInDays,
}: Pick<CertificateProfile, "subject" | "validityInDays">): readonly NamePart[] {
  const isWhole = Number.isInteger(validityInDays);
  if (!isWhole || validityInDays < 1 || validityInDays > VALIDITY_DAYS_MAX) {
    throw new RangeError(`The validity must be 1 to ${VALIDITY_DAYS_MAX} days.`);
  }
  if ("subjectName" in subject) return parseName(subject.subjectName);
  const quoted = (key: string, value: string | undefined) =>
    value === undefined || value === "" ? [] : [`${key}="${value.replaceAll('"', '""')}"`];
  return parseName(
    [
      ...quoted("CN", subject.serverName),
      ...quoted("OU", subject.organizationalUnit),
      ...quoted("O", subject.organization),
      ...quoted("C", subject.country),
    ].join(", "),
  );
}
