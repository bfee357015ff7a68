import { RetiredCertificateError } from "../errors.ts";
import type { Unit } from "../orm/unit-of-work.ts";
import { flagOf } from "../raw/row.ts";

/** Whether a certificate was retired. It stays as it is until the commit: whoever retires it waits,
 * and counts this change. */
export async function isRetired(
  { read, forShare }: Pick<Unit, "read" | "forShare">,
  fingerprint: string,
): Promise<boolean> {
  const sql = `select active from signing_certificates where fingerprint = ?${forShare}`;
  const [row] = await read({ name: "certificate-state", sql }, [fingerprint]);
  return row !== undefined && !flagOf(row, "active");
}

/** @throws RetiredCertificateError */
export async function refuseRetired(unit: Unit, fingerprint: string): Promise<void> {
  if (await isRetired(unit, fingerprint)) throw new RetiredCertificateError(fingerprint);
}
