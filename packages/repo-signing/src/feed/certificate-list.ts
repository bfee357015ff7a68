import type { CertificateLedger, CertificateRecord } from "../ports.ts";

/** A certificate on record, its state and its use. */
export type ListedCertificate = Omit<CertificateRecord, "der"> & {
  /** `prepared`: listed, and signs from `firstUsedAt`. */
  readonly state: "prepared" | "active" | "retired";
  /** Versions that are served with its signature. */
  readonly versions: number;
};

/** Returns every certificate on record, in the order in which they signed. */
export async function listCertificates(parts: {
  readonly ledger: Pick<CertificateLedger, "list">;
  readonly seals: { counts(): Promise<ReadonlyMap<string, number>> };
  readonly now: () => Date;
}): Promise<readonly ListedCertificate[]> {
  const records = await parts.ledger.list();
  const counts = await parts.seals.counts();
  return records.map(({ der: _der, ...record }) => ({
    ...record,
    state: stateOf(record, parts.now()),
    versions: counts.get(record.fingerprint) ?? 0,
  }));
}

function stateOf(
  { active, firstUsedAt }: Pick<CertificateRecord, "active" | "firstUsedAt">,
  now: Date,
): ListedCertificate["state"] {
  if (!active) return "retired";
  return firstUsedAt > now ? "prepared" : "active";
}

/** Finds the record by its fingerprint or the first digits of it, with or without colons. */
export function findCertificate<Found extends Pick<CertificateRecord, "fingerprint">>(
  records: readonly Found[],
  text: string,
): Found | "unknown" | "ambiguous" {
  const digits = text.replaceAll(/[:\s]/g, "").toLowerCase();
  const [record, other] = records.filter(({ fingerprint }) => fingerprint.startsWith(digits));
  if (!record || digits === "") return "unknown";
  return other ? "ambiguous" : record;
}
