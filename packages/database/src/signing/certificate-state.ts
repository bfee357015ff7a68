import { RetiredCertificateError } from "../errors.ts";
import type { PlainUnit } from "../orm/unit-of-work.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";

const HOLD = defineStatement(
  "certificate-state",
  { fingerprint: param.text(64) },
  (db, { fingerprint }, own) =>
    own.forShare(
      db.selectFrom("signing_certificates").select("active").where("fingerprint", "=", fingerprint),
    ),
);

/**
 * Whether a certificate is retired. Locks its row, so that a concurrent retirement waits and counts
 * this change.
 */
export async function isRetired(
  { queries }: Pick<PlainUnit, "queries">,
  fingerprint: string,
): Promise<boolean> {
  return (await queries.one(HOLD, { fingerprint }))?.active === false;
}

/** @throws RetiredCertificateError */
export async function refuseRetired(
  unit: Pick<PlainUnit, "queries">,
  fingerprint: string,
): Promise<void> {
  if (await isRetired(unit, fingerprint)) throw new RetiredCertificateError(fingerprint);
}
