import { SigningError } from "../errors.ts";
import { sameBytes } from "../hash.ts";
import { createKeySigner } from "../keys/key-signer.ts";
import type { CertificateProfile } from "../keys/own-certificate.ts";
import {
  canSign,
  checkSelfSigned,
  hasTimeLeft,
  matchesProfile,
  ownCertificateOf,
} from "../keys/own-certificate.ts";
import type { KeyWithCertificate } from "../keys/key-signer.ts";
import { readPfx, withBuffers } from "../certificate-thread/pfx.ts";
import { runInThread } from "../certificate-thread/thread.ts";
import type { CertificateFile, CertificateLedger, Signer } from "../ports.ts";
import type { RotationOptions } from "../signer/rotation.ts";
import { announceSigner } from "../signer/rotation.ts";
import type { Certificate } from "../x509/certificate.ts";
import { parseCertificate } from "../x509/certificate.ts";

/** Options of `openSelfSigned` and `createSelfSigned`. */
export type SelfSignedOptions = CertificateProfile &
  RotationOptions & {
    readonly file: CertificateFile;
    /** Place of the successor until it becomes active. */
    readonly next: CertificateFile;
    readonly ledger: Pick<CertificateLedger, "announce" | "find">;
    /** Protects the PFX files; may be empty. */
    readonly password: string;
    readonly randomBytes: (count: number) => Uint8Array;
  };

/** Result of a request for a new certificate. */
export type Rotation = {
  readonly signer: Signer;
  /** `waiting`: it was prepared before. */
  readonly status: "prepared" | "waiting" | "at-once";
  readonly signsFrom: Date;
};

const RECHECK_MS = 60 * 1000;
const ATTEMPTS_MAX = 5;

/**
 * Opens the repository's own certificate: the one in the file while it can sign, else a new one
 * that is kept in the file. A certificate that is about to end, or that does not fit the settings,
 * gets a successor that is listed first and signs later. Throws a SigningError: `certificate-file`
 * when the file cannot be opened (it is never overwritten then), and a RangeError for a subject or
 * validity that cannot be.
 */
export async function openSelfSigned(options: SelfSignedOptions): Promise<Signer> {
  return signerNow(await look(options, undefined), options.now());
}

/**
 * The same, kept open: concurrent callers share one opening, and the files are checked once a
 * minute, so that renewal, a deleted file or another instance's new certificate take effect. A
 * successor becomes active at the recorded time, on every instance. Failures are passed to
 * `report`, and the open certificate signs for as long as clients accept it.
 */
export function createSelfSigned(
  options: SelfSignedOptions,
  report: (error: unknown) => void = () => undefined,
): () => Promise<Signer> {
  let opening: Promise<Own> | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const open = async (own: Own | undefined): Promise<Own> => {
    if (!own) return look(options, undefined);
    try {
      return await look(options, own);
    } catch (error) {
      const now = options.now();
      if (!canSign(inUse(own, now).certificate, now)) throw error;
      report(error);
      return own;
    }
  };
  return async () => {
    const now = options.now();
    if (!opening || Math.abs(now.getTime() - checkedAt) >= RECHECK_MS) {
      checkedAt = now.getTime();
      const mine = (opening ?? Promise.resolve(undefined)).catch(() => undefined).then(open);
      opening = mine;
      // A failure is returned to the waiting callers; the next caller tries again.
      mine.catch(() => {
        if (opening === mine) opening = undefined;
      });
    }
    return signerNow(await opening, now);
  };
}

/**
 * Creates a new certificate and lists it; it signs an hour later, on every instance. With `atOnce`,
 * or when the present one cannot sign, it signs now, and other instances notice within a minute. A
 * prepared successor is the new certificate. Throws like `openSelfSigned`, including when an
 * existing file cannot be opened: then it was made with other settings.
 */
export async function rotateSelfSigned(
  options: SelfSignedOptions,
  { atOnce = false }: { readonly atOnce?: boolean } = {},
): Promise<Rotation> {
  checkSelfSigned(options);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const files = await readFiles(options, undefined);
    const next = await usableNext(files, options);
    const current = files.current && (await isSigning(files.current, options));
    if (!atOnce && current && next) return rotated(next.credential, "waiting", next.signsFrom);
    const credential = next?.credential ?? (await make(options));
    const isDone = await (atOnce || !current
      ? replaceNow(credential, files, options)
      : keepNext(credential, files, options));
    if (!isDone) continue;
    if (atOnce || !current) return rotated(credential, "at-once", options.now());
    return rotated(credential, "prepared", await announced(credential, options));
  }
  throw unsettled();
}

function rotated(
  { signer }: OpenCredential,
  status: Rotation["status"],
  signsFrom: Date,
): Rotation {
  return { signer, status, signsFrom };
}

type OpenCredential = {
  readonly pfx: Uint8Array;
  readonly content: KeyWithCertificate;
  readonly certificate: Certificate;
  readonly signer: Signer;
};

type Next = { readonly credential: OpenCredential; readonly signsFrom: Date };

/** The active certificate and its successor. */
type Own = { readonly current: OpenCredential; readonly next?: Next };

type Files = {
  readonly current: OpenCredential | undefined;
  readonly next: OpenCredential | undefined;
  /** The file of the successor is there, and these settings do not open it. */
  readonly nextFault?: SigningError;
};

function inUse({ current, next }: Own, now: Date): OpenCredential {
  return next && next.signsFrom <= now ? next.credential : current;
}

function signerNow(own: Own, now: Date): Signer {
  return inUse(own, now).signer;
}

/**
 * Looks at the files, and does what is due: a certificate that cannot sign is replaced, a successor
 * whose time has come takes its place, one that is needed is made. `before` is what was open;
 * undefined at a start, when the certificate is compared with the settings as well: while instances
 * are changed over one by one, they must not replace each other's certificates in turn.
 */
async function look(options: SelfSignedOptions, before: Own | undefined): Promise<Own> {
  checkSelfSigned(options);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const files = await readFiles(options, before);
    const done = await step(files, options, { isStart: before === undefined });
    if (done) return done;
  }
  throw unsettled();
}

/** Undefined when another instance changed a file in the meantime. */
async function step(
  files: Files,
  options: SelfSignedOptions,
  { isStart }: { readonly isStart: boolean },
): Promise<Own | undefined> {
  const { current } = files;
  const now = options.now();
  const next = await usableNext(files, options);
  const isOver = !current || !canSign(current.certificate, now);
  if (isOver || (next && next.signsFrom <= now)) {
    const credential = next?.credential ?? (await make(options));
    return (await replaceNow(credential, files, options)) ? { current: credential } : undefined;
  }
  const latest = next?.credential ?? current;
  const isFitting = !isStart || matchesProfile(latest.certificate, latest.content.key, options);
  if (isFitting && hasTimeLeft(latest.certificate, now)) return { current, ...(next && { next }) };
  const newCredential = await make(options);
  if (!(await keepNext(newCredential, files, options))) return undefined;
  return {
    current,
    next: { credential: newCredential, signsFrom: await announced(newCredential, options) },
  };
}

/** The successor, unless it cannot sign, was retired, or took over before the present one did: its
 * file stays until the next rotation. */
async function usableNext(
  { current, next }: Files,
  options: SelfSignedOptions,
): Promise<Next | undefined> {
  if (!next || (current && sameBytes(current.pfx, next.pfx))) return undefined;
  if (!canSign(next.certificate, options.now())) return undefined;
  const record = await options.ledger.find(next.certificate.fingerprint);
  if (record && !record.active) return undefined;
  // Its creator may have been killed before it was listed.
  const signsFrom = await announced(next, options);
  const before = current && (await options.ledger.find(current.certificate.fingerprint));
  return before && before.firstUsedAt >= signsFrom ? undefined : { credential: next, signsFrom };
}

async function isSigning(
  { certificate }: OpenCredential,
  options: SelfSignedOptions,
): Promise<boolean> {
  if (!canSign(certificate, options.now())) return false;
  const record = await options.ledger.find(certificate.fingerprint);
  return record?.active !== false;
}

async function announced({ signer }: OpenCredential, options: SelfSignedOptions): Promise<Date> {
  return (await announceSigner(signer, options)).firstUsedAt;
}

/** On record before anything is signed with it. */
async function replaceNow(
  credential: OpenCredential,
  { current }: Files,
  options: SelfSignedOptions,
): Promise<boolean> {
  if ((await options.file.write(credential.pfx, current?.pfx)) !== "written") return false;
  await announceSigner(credential.signer, { ...options, listedBeforeSigningMs: 0 });
  return true;
}

async function keepNext(
  credential: OpenCredential,
  files: Files,
  { next }: SelfSignedOptions,
): Promise<boolean> {
  if (files.nextFault) throw files.nextFault;
  return (await next.write(credential.pfx, files.next?.pfx)) === "written";
}

async function readFiles(options: SelfSignedOptions, before: Own | undefined): Promise<Files> {
  const candidates = [before?.current, before?.next?.credential];
  const current = await readHeld(options.file, candidates, options);
  try {
    return { current, next: await readHeld(options.next, candidates, options) };
  } catch (error) {
    if (!(error instanceof SigningError)) throw error;
    return { current, next: undefined, nextFault: error };
  }
}

/** Opening a file costs the many rounds of a key derivation. */
async function readHeld(
  file: CertificateFile,
  candidates: readonly (OpenCredential | undefined)[],
  options: SelfSignedOptions,
): Promise<OpenCredential | undefined> {
  const pfx = await file.read();
  if (!pfx) return undefined;
  const same = candidates.find((candidate) => candidate && sameBytes(candidate.pfx, pfx));
  return same ?? heldOf(await readOwn(pfx, options.password), pfx, options);
}

async function make(options: SelfSignedOptions): Promise<OpenCredential> {
  const own = ownCertificateOf(options);
  const { content, pfx } = await runInThread("makeOwn", own, options.password);
  return heldOf(withBuffers(content), pfx, options);
}

function heldOf(
  content: KeyWithCertificate,
  pfx: Uint8Array,
  { hash }: Pick<SelfSignedOptions, "hash">,
): OpenCredential {
  const [der = new Uint8Array()] = content.chain;
  const signer = createKeySigner({ ...content, hash });
  return { pfx, content, certificate: parseCertificate(der), signer };
}

function unsettled(): SigningError {
  return new SigningError(
    "certificate-file",
    "Other instances keep replacing the certificate; try again in a moment.",
    { retryable: true },
  );
}

/** @throws SigningError `certificate-file` */
export async function readOwn(pfx: Uint8Array, password: string): Promise<KeyWithCertificate> {
  try {
    return await readPfx(pfx, password);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SigningError(
      "certificate-file",
      `${why} The file is unchanged: configure its password with ` +
        "Signing__CertificatePasswordSecret, or delete the file, and a new certificate is made.",
      { cause },
    );
  }
}
