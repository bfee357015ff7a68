import { RetiredCertificateError } from "../errors.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
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
  { queries }: Pick<Unit, "queries">,
  fingerprint: string,
): Promise<boolean> {
  return (await queries.one(HOLD, { fingerprint }))?.active === false;
}

/** @throws RetiredCertificateError */
export async function refuseRetired(
  unit: Pick<Unit, "queries">,
  fingerprint: string,
): Promise<void> {
  if (await isRetired(unit, fingerprint)) throw new RetiredCertificateError(fingerprint);
}
