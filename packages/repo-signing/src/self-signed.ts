import type { KeyObject } from "node:crypto";
import { generateKeyPair } from "node:crypto";
import { OID } from "./der/oid.ts";
import { readDer } from "./der/reader.ts";
import { SigningError } from "./errors.ts";
import type { HashName } from "./hash.ts";
import { fingerprintOf } from "./hash.ts";
import { createKeySigner, signPkcs1 } from "./key-signer.ts";
import type { KeyWithCertificate } from "./pfx.ts";
import { readPfx, writePfx } from "./pfx.ts";
import type { CertificateFile, Signer } from "./ports.ts";
import type { Certificate } from "./x509/certificate.ts";
import { parseCertificate } from "./x509/certificate.ts";
import { problemsOf } from "./x509/certificate-rules.ts";
import type { NamePart } from "./x509/distinguished-name.ts";
import { encodeName, isSameName, parseName } from "./x509/distinguished-name.ts";
import { issueCertificate } from "./x509/issue-certificate.ts";

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

export type SelfSignedOptions = {
  readonly file: CertificateFile;
  /** Protects the PFX file; may be empty. */
  readonly password: string;
  readonly subject: SelfSignedSubject;
  readonly keySize: 2048 | 3072 | 4096;
  /** 1 to 3650. */
  readonly validityInDays: number;
  readonly hash: HashName;
  readonly now: () => Date;
  readonly randomBytes: (count: number) => Uint8Array;
};

const DAY_MS = 24 * 60 * 60 * 1000;
export const VALIDITY_DAYS_MAX = 3650;
/** Clients refuse a certificate that begins in their future, and clocks differ. */
const BACKDATED_MS = DAY_MS;
const RENEWED_BEFORE_MS = 7 * DAY_MS;
/** So long before its end nothing is signed with a certificate any more. */
const UNUSABLE_BEFORE_MS = 5 * 60 * 1000;
const RECHECK_MS = 60 * 1000;
const ATTEMPTS_MAX = 5;
const SERIAL_BYTES = 20;

/**
 * Opens the repository's own certificate: the one in the file when it fits the configuration and
 * has more than seven days left, else a new one that is kept in the file. Throws a SigningError:
 * `certificate-file` when the file cannot be opened (it is never overwritten then), and a
 * RangeError for a subject or validity that cannot be.
 */
export async function openSelfSigned(options: SelfSignedOptions): Promise<Signer> {
  return (await openFile(options)).signer;
}

/**
 * The same, kept open: concurrent callers share one opening, and the file is looked at again once
 * a minute, so that renewal, a deleted file or another instance's new certificate take effect.
 * What is in the way of that is told to `report`, and the certificate that is open goes on signing
 * for as long as clients accept it.
 */
export function createSelfSigned(
  options: SelfSignedOptions,
  report: (error: unknown) => void = () => undefined,
): () => Promise<Signer> {
  let opening: Promise<Held> | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const open = async (held: Held | undefined): Promise<Held> => {
    if (!held) return openFile(options);
    try {
      return await lookedAgain(held, options, report);
    } catch (error) {
      const leftMs = certificateOf(held).notAfter.getTime() - options.now().getTime();
      if (leftMs <= UNUSABLE_BEFORE_MS) throw error;
      report(error);
      return held;
    }
  };
  return async () => {
    const now = options.now().getTime();
    if (!opening || Math.abs(now - checkedAt) >= RECHECK_MS) {
      checkedAt = now;
      const mine = (opening ?? Promise.resolve(undefined)).catch(() => undefined).then(open);
      opening = mine;
      // A failure is told to those who waited for it; the next caller tries again.
      mine.catch(() => {
        if (opening === mine) opening = undefined;
      });
    }
    return (await opening).signer;
  };
}

/**
 * Makes a new certificate now and puts it in the place of the one in the file. Whoever has the old
 * one open notices within a minute. Throws as `openSelfSigned` does, also when the file there is
 * cannot be opened: then somebody else's settings made it.
 */
export async function rotateSelfSigned(options: SelfSignedOptions): Promise<Signer> {
  const parts = checkedSubject(options);
  const before = await options.file.read();
  if (before) await readOwn(before, options);
  const created = await createCertificate(parts, options);
  const pfx = await writePfx(created, options.password);
  const outcome = await options.file.write(pfx, before);
  if (outcome === "written") return createKeySigner({ ...created, hash: options.hash });
  // Somebody else was faster by a moment, and that certificate is as new as this one.
  return openSelfSigned(options);
}

/** Throws a RangeError for a subject or validity that cannot be. */
export function checkSelfSigned(
  options: Pick<SelfSignedOptions, "subject" | "validityInDays">,
): void {
  checkedSubject(options);
}

type Held = { readonly signer: Signer; readonly fileFingerprint: string };
type Found = { readonly content: KeyWithCertificate; readonly pfx: Uint8Array };

function heldOf({ content, pfx }: Found, { hash }: SelfSignedOptions): Held {
  return { signer: createKeySigner({ ...content, hash }), fileFingerprint: fingerprintOf(pfx) };
}

function certificateOf({ signer }: Held): Certificate {
  const [der = new Uint8Array()] = signer.chain;
  return parseCertificate(der);
}

async function openFile(options: SelfSignedOptions): Promise<Held> {
  const parts = checkedSubject(options);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const found = await openOrCreate(parts, options);
    if (found) return heldOf(found, options);
  }
  throw new SigningError(
    "certificate-file",
    "Another instance keeps writing a certificate that does not fit this one's configuration.",
    { retryable: true },
  );
}

/** The one that is open, unless the file has another one for us, or none, or it is time. */
async function lookedAgain(
  held: Held,
  options: SelfSignedOptions,
  report: (error: unknown) => void,
): Promise<Held> {
  const pfx = await options.file.read();
  if (!pfx || !hasTimeLeft(certificateOf(held), options.now())) return openFile(options);
  const fileFingerprint = fingerprintOf(pfx);
  if (fileFingerprint === held.fileFingerprint) return held;
  try {
    const content = await usableIn(pfx, checkedSubject(options), options);
    if (content) return heldOf({ content, pfx }, options);
  } catch (error) {
    report(error);
  }
  // Made for another configuration: while instances are changed over one by one, they must not
  // replace each other's certificates in turn.
  return { ...held, fileFingerprint };
}

/** Undefined when somebody else wrote a certificate meanwhile that does not fit. */
async function openOrCreate(
  parts: readonly NamePart[],
  options: SelfSignedOptions,
): Promise<Found | undefined> {
  const { file, password } = options;
  const before = await file.read();
  const reused = before && (await usableIn(before, parts, options));
  if (reused) return { content: reused, pfx: before };
  const created = await createCertificate(parts, options);
  const pfx = await writePfx(created, password);
  // Making a key takes seconds: somebody else may have been faster, at creating or at renewing.
  if ((await file.write(pfx, before)) === "written") return { content: created, pfx };
  const winner = await file.read();
  const content = winner && (await usableIn(winner, parts, options));
  return content && { content, pfx: winner };
}

/** The file's key and certificate when they are as configured and not about to expire. */
async function usableIn(
  pfx: Uint8Array,
  parts: readonly NamePart[],
  options: SelfSignedOptions,
): Promise<KeyWithCertificate | undefined> {
  const found = await readOwn(pfx, options);
  const [der] = found.chain;
  if (!der) return undefined;
  const certificate = parseCertificate(der);
  const now = options.now();
  return matches(certificate, found.key, { parts, options }) &&
    hasTimeLeft(certificate, now) &&
    problemsOf(certificate, now).length === 0
    ? found
    : undefined;
}

async function readOwn(
  pfx: Uint8Array,
  { password }: SelfSignedOptions,
): Promise<KeyWithCertificate> {
  try {
    return await readPfx(pfx, password);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SigningError(
      "certificate-file",
      `${why} It is left as it is: set the password it was made with, or delete the file, and a ` +
        "new certificate is made.",
      { cause },
    );
  }
}

function matches(
  certificate: Certificate,
  key: KeyObject,
  wanted: { readonly parts: readonly NamePart[]; readonly options: SelfSignedOptions },
): boolean {
  const { options, parts } = wanted;
  const lifeMs = certificate.notAfter.getTime() - certificate.notBefore.getTime();
  return (
    isSameName(readDer(certificate.subjectDer), parts) &&
    key.asymmetricKeyDetails?.modulusLength === options.keySize &&
    certificate.signatureAlgorithm === RSA_WITH[options.hash] &&
    lifeMs === lifeOf(options.validityInDays)
  );
}

const RSA_WITH: Readonly<Record<HashName, string>> = {
  SHA256: OID.sha256WithRsa,
  SHA384: OID.sha384WithRsa,
  SHA512: OID.sha512WithRsa,
};

function hasTimeLeft(certificate: Certificate, now: Date): boolean {
  // A certificate for less than a fortnight is used for the first half of its days.
  const lifeMs = certificate.notAfter.getTime() - certificate.notBefore.getTime();
  const marginMs = Math.min(RENEWED_BEFORE_MS, (lifeMs - BACKDATED_MS) / 2);
  return certificate.notAfter.getTime() - now.getTime() > marginMs;
}

async function createCertificate(
  parts: readonly NamePart[],
  options: SelfSignedOptions,
): Promise<KeyWithCertificate> {
  const { key, publicKey } = await generateRsa(options.keySize);
  const name = encodeName(parts);
  const { hash, validityInDays } = options;
  const now = Math.floor(options.now().getTime() / 1000) * 1000;
  const notBefore = new Date(now - BACKDATED_MS);
  const der = await issueCertificate(
    {
      subject: name,
      notBefore,
      notAfter: new Date(notBefore.getTime() + lifeOf(validityInDays)),
      serial: options.randomBytes(SERIAL_BYTES),
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
}: Pick<SelfSignedOptions, "subject" | "validityInDays">): readonly NamePart[] {
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
