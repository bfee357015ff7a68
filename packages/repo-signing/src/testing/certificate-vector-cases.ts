import type { KeyObject } from "node:crypto";
import { createPrivateKey, createPublicKey } from "node:crypto";
import { OID } from "../der/oid.ts";
import type { HashName } from "../hash.ts";
import { signPkcs1 } from "../keys/key-signer.ts";
import { encodeName, parseName } from "../x509/distinguished-name.ts";
import type { CertificateRequest } from "../x509/issue-certificate.ts";
import { issueCertificate } from "../x509/issue-certificate.ts";
import { TEST_KEYS } from "./test-keys.ts";

/** Values that a certificate of the vectors differs in from the usual one. */
export type CertificateVectorCase = {
  readonly subject?: string;
  readonly issuer?: string;
  readonly serial?: string;
  readonly notBefore?: string;
  readonly notAfter?: string;
  readonly hash?: HashName;
  readonly purpose?: CertificateRequest["purpose"];
};

/** A name with all that a name encoder can get wrong. */
export const HARD_NAME = 'CN="Acme, Inc.", OU=Ünïcode, O="a ""q"" b", C=DE';

const SERIAL = "0102030405060708090a0b0c0d0e0f1011121314";

/** Certificates whose bytes are recorded in `vectors/certificates/certificates.json`. */
export const CERTIFICATE_CASES: Readonly<Record<string, CertificateVectorCase>> = {
  "hard name, SHA-256": { subject: HARD_NAME },
  "hard name, SHA-384": { subject: HARD_NAME, hash: "SHA384" },
  "hard name, SHA-512": { subject: HARD_NAME, hash: "SHA512" },
  "hard name of the issuer": { issuer: HARD_NAME },
  "domain components and e-mail": { subject: "CN=Feed, E=ops@acme.example, DC=acme, DC=example" },
  "name parts by number": { subject: "OID.1.2.840.113549.1.9.8=x, S=Bayern, STREET=Weg 1, CN=🦭" },
  "two equal name parts": { subject: "CN=Feed, OU=b, OU=a, OU=b" },
  "value of 200 characters": { subject: `CN=${"n".repeat(200)}` },
  "serial with leading zeros": { serial: `0000${SERIAL.slice(4)}` },
  "serial with the high bit": { serial: `ff${SERIAL.slice(2)}` },
  "serial of zeros": { serial: "00".repeat(20) },
  "serial of ones": { serial: "ff".repeat(20) },
  "serial of 16 octets": { serial: `80${"00".repeat(15)}` },
  "end in the last second of UTCTime": { notAfter: "2049-12-31T23:59:59Z" },
  "end in the first second of GeneralizedTime": { notAfter: "2050-01-01T00:00:00Z" },
  "end in 9999": { notAfter: "9999-12-31T23:59:59Z" },
  "both times beyond 2049": { notBefore: "2051-02-28T00:00:00Z", notAfter: "2060-02-29T12:00:00Z" },
  "times with fractions of a second": {
    notBefore: "2026-11-23T12:00:00.999Z",
    notAfter: "2027-11-23T12:00:00.001Z",
  },
  "critical usage: time-stamping": {
    purpose: { type: "end-entity", usage: OID.timeStamping, critical: true },
  },
  "usage: TLS server": {
    purpose: { type: "end-entity", usage: "1.3.6.1.5.5.7.3.1", critical: false },
  },
  authority: { purpose: { type: "authority" } },
  "authority of its own": { purpose: { type: "authority" }, issuer: "CN=Feed", subject: "CN=Feed" },
};

/** @returns DER */
export function issueVector(options: CertificateVectorCase): Promise<Uint8Array> {
  const { subject = "CN=Feed, O=Acme, C=DE", issuer = "CN=Issuer", hash = "SHA256" } = options;
  const key = vectorKey("root");
  return issueCertificate(
    {
      subject: encodeName(parseName(subject)),
      notBefore: new Date(options.notBefore ?? "2026-11-23T12:00:00Z"),
      notAfter: new Date(options.notAfter ?? "2027-11-23T12:00:00Z"),
      serial: Buffer.from(options.serial ?? SERIAL, "hex"),
      publicKey: spkiOf(vectorKey("repository")),
      purpose: options.purpose ?? { type: "end-entity", usage: OID.codeSigning, critical: false },
    },
    {
      name: encodeName(parseName(issuer)),
      publicKey: spkiOf(key),
      hash,
      sign: (data) => signPkcs1(data, key, hash),
    },
  );
}

export function vectorKey(name: keyof typeof TEST_KEYS): KeyObject {
  const key = Buffer.from(TEST_KEYS[name], "base64");
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}

export function spkiOf(key: KeyObject): Uint8Array {
  return createPublicKey(key).export({ format: "der", type: "spki" });
}
