import type { Caller } from "@sealhouse/request-types";
import type { Changes } from "../transactions/changes.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";

/** Outcome of retiring a certificate. */
export type Retirement =
  | { readonly status: "retired" | "unchanged" | "absent" }
  /** `versions` is the number of versions with a signature of this certificate. */
  | { readonly status: "in-use"; readonly versions: number };

const FINGERPRINT = { fingerprint: param.text(64) };

const HOLD = defineStatement("certificate-for-change", FINGERPRINT, (db, { fingerprint }, own) =>
  own.forUpdate(
    db
      .selectFrom("signing_certificates")
      .select(["subject", "active"])
      .where("fingerprint", "=", fingerprint),
  ),
);
const SIGNED = defineStatement("certificate-signed-versions", FINGERPRINT, (db, { fingerprint }) =>
  db
    .selectFrom("nuget_versions")
    .where("seal_fingerprint", "=", fingerprint)
    .select((version) => version.fn.countAll<number>().as("versions")),
);
const RETIRE = defineStatement("certificate-retire", FINGERPRINT, (db, { fingerprint }, own) =>
  db
    .updateTable("signing_certificates")
    .set({ active: own.no })
    .where("fingerprint", "=", fingerprint),
);

/**
 * Retires an unused certificate. The lock on its row excludes concurrent changes that store its
 * signatures.
 */
export function retireCertificate(
  changes: Changes,
  fingerprint: string,
  caller: Caller,
): Promise<Retirement> {
  return changes.transaction(async (unit) => {
    const certificate = await unit.queries.one(HOLD, { fingerprint });
    if (!certificate) return { status: "absent" };
    if (!certificate.active) return { status: "unchanged" };
    const versions = (await unit.queries.one(SIGNED, { fingerprint }))?.versions ?? 0;
    if (versions > 0) return { status: "in-use", versions };
    await unit.queries.run(RETIRE, { fingerprint });
    await changes.stale(unit, "certificates");
    await changes.event(unit, {
      type: "certificate.retired",
      subject: `certificate/${fingerprint}`,
      caller,
      detail: { subject: certificate.subject },
    });
    return { status: "retired" };
  });
}
