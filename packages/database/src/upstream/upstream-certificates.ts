import type { CertificateFacts } from "@sealhouse/repo-signing";
import type { PortContext } from "../port-context.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";

const FINGERPRINT = { fingerprint: param.text(64) };
const FIND = defineStatement("upstream-certificate", FINGERPRINT, (db, { fingerprint }) =>
  db
    .selectFrom("upstream_certificates")
    .where("fingerprint", "=", fingerprint)
    .select("fingerprint"),
);
const PUT = defineStatement(
  "upstream-certificate-put",
  {
    ...FINGERPRINT,
    subject: param.longText,
    issuer: param.longText,
    notBefore: param.time,
    notAfter: param.time,
    seenAt: param.time,
    der: param.bytes,
  },
  (_db, parameters, own) =>
    own.upsert("upstream_certificates", inColumns(parameters), ["fingerprint"]),
);

/** Certificates of other repositories, whose signatures stored packages have kept. */
export interface UpstreamCertificates {
  /** Puts a certificate on the list of the feed, for good. */
  note(certificate: CertificateFacts): Promise<void>;
}

export function createUpstreamCertificates({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): UpstreamCertificates {
  const noted = new Set<string>();
  return {
    async note({ fingerprint, subject, issuer, notBefore, notAfter, der }) {
      if (noted.has(fingerprint)) return;
      if (!(await queries.one(FIND, { fingerprint }))) {
        const facts = { fingerprint, subject, issuer, notBefore, notAfter, der };
        await queries.run(PUT, { ...facts, seenAt: changes.now() });
      }
      noted.add(fingerprint);
    },
  };
}
