import type { Caller } from "@sealhouse/request-types";
import type { Changes } from "../orm/changes.ts";
import type { Statement } from "../raw/query-port.ts";
import { flagOf, numberOf, textOf } from "../raw/row.ts";

export type Retirement =
  | { readonly status: "retired" | "unchanged" | "absent" }
  /** So many versions are served with a signature of this certificate. */
  | { readonly status: "vouching"; readonly versions: number };

const VOUCHED: Statement = {
  name: "certificate-vouches",
  sql: "select count(*) as versions from nuget_versions where seal_fingerprint = ?",
};
const RETIRE: Statement = {
  name: "certificate-retire",
  sql: "update signing_certificates set active = ? where fingerprint = ?",
};

/** Withdraws a certificate that vouches for nothing. Its row is held until the commit, and every
 * change that keeps a signature looks at it, so none can slip in. */
export function retireCertificate(
  changes: Changes,
  fingerprint: string,
  caller: Caller,
): Promise<Retirement> {
  return changes.transaction(async (unit) => {
    const sql = `select subject, active from signing_certificates
      where fingerprint = ?${unit.forUpdate}`;
    const [row] = await unit.read({ name: "certificate-for-change", sql }, [fingerprint]);
    if (!row) return { status: "absent" };
    if (!flagOf(row, "active")) return { status: "unchanged" };
    const [counted] = await unit.read(VOUCHED, [fingerprint]);
    const versions = counted ? numberOf(counted, "versions") : 0;
    if (versions > 0) return { status: "vouching", versions };
    await unit.run(RETIRE, [false, fingerprint]);
    await changes.stale(unit, "certificates");
    await changes.event(unit, {
      type: "certificate.retired",
      subject: `certificate/${fingerprint}`,
      caller,
      detail: { subject: textOf(row, "subject") },
    });
    return { status: "retired" };
  });
}
