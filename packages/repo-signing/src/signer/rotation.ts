import { canSign, UNUSABLE_BEFORE_MS } from "../keys/own-certificate.ts";
import type { CertificateLedger, CertificateRecord, Signer } from "../ports.ts";
import { parseCertificate } from "../x509/certificate.ts";
import { certificateRecordOf } from "../x509/certificate-record.ts";

/** Clients keep the list of certificates for half an hour. They refuse what is signed with a
 * certificate that is not on it, so a new one is listed for twice as long before it signs. */
export const LISTED_BEFORE_SIGNING_MS = 60 * 60 * 1000;
const LOOKED_UP_EVERY_MS = 60 * 1000;

/** Options of a rotation. */
export type RotationOptions = {
  readonly ledger: Pick<CertificateLedger, "announce">;
  readonly now: () => Date;
  /** Milliseconds for which a new certificate is listed before it signs. Default one hour. */
  readonly listedBeforeSigningMs?: number;
};

/** Lists the certificate of the next signer. */
export async function announceSigner(
  { chain }: Pick<Signer, "chain">,
  options: RotationOptions,
): Promise<CertificateRecord> {
  const { ledger, now, listedBeforeSigningMs = LISTED_BEFORE_SIGNING_MS } = options;
  const [der = new Uint8Array()] = chain;
  const time = now();
  const signsFrom = new Date(time.getTime() + listedBeforeSigningMs);
  return ledger.announce(certificateRecordOf(der), { at: time, signsFrom });
}

/**
 * Time from which `next` signs instead of `predecessor`: after it was listed long enough, and
 * before the other expires.
 */
export async function takesOverAt(
  next: Signer,
  predecessor: Signer,
  options: RotationOptions,
): Promise<Date> {
  const { firstUsedAt } = await announceSigner(next, options);
  const [der = new Uint8Array()] = predecessor.chain;
  const last = parseCertificate(der).notAfter.getTime() - UNUSABLE_BEFORE_MS;
  return new Date(Math.min(firstUsedAt.getTime(), last));
}

/**
 * The configured signer with its successor: `next` signs when its certificate was listed long
 * enough, or as soon as `current` cannot sign. A `next` that cannot be opened is passed to
 * `report`, and a retired one never signs.
 */
export function withSuccessor(
  signers: {
    readonly current: () => Promise<Signer>;
    readonly next: () => Promise<Signer>;
    readonly report: (error: unknown) => void;
  },
  options: RotationOptions,
): () => Promise<Signer> {
  let announced: Announced | undefined;
  const openNext = async (): Promise<Announced | undefined> => {
    const timeMs = options.now().getTime();
    const signer = await signers.next();
    const isKnown = announced?.signer === signer && timeMs - announced.at < LOOKED_UP_EVERY_MS;
    if (!isKnown) announced = { signer, at: timeMs, record: await announceSigner(signer, options) };
    return announced?.record.active ? announced : undefined;
  };
  return async () => {
    const next = await openNext().catch((error: unknown) => {
      signers.report(error);
      return undefined;
    });
    if (!next) return signers.current();
    if (next.record.firstUsedAt <= options.now()) return next.signer;
    try {
      const current = await signers.current();
      const [der = new Uint8Array()] = current.chain;
      return canSign(parseCertificate(der), options.now()) ? current : next.signer;
    } catch (error) {
      signers.report(error);
      return next.signer;
    }
  };
}

type Announced = {
  readonly signer: Signer;
  readonly at: number;
  readonly record: CertificateRecord;
};

/**
 * Until when clients may refuse what a certificate signs, because they keep a list without it.
 * Undefined when it was listed for long enough, and for the first certificate of a feed.
 */
export function refusedUntil(
  record: CertificateRecord,
  all: readonly CertificateRecord[],
  now: Date,
): Date | undefined {
  const { listedAt, firstUsedAt, fingerprint } = record;
  const safeAt = new Date(listedAt.getTime() + LISTED_BEFORE_SIGNING_MS);
  if (firstUsedAt >= safeAt || now >= safeAt) return undefined;
  const signedBefore = (candidate: CertificateRecord) =>
    candidate.fingerprint !== fingerprint && candidate.firstUsedAt < firstUsedAt;
  const isFirst = !all.some(signedBefore);
  return isFirst ? undefined : safeAt;
}
