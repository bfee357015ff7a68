import type { Attestation } from "@sealhouse/npm-protocol";
import type { Unit } from "../transactions/unit-of-work.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";

const INSERT = defineStatement(
  "npm-attestation-insert",
  {
    version: param.whole,
    predicateType: param.text(255),
    bundle: param.longText,
    createdAt: param.time,
  },
  (db, { version, ...row }) =>
    db.insertInto("npm_attestations").values({ ...inColumns(row), version_id: version }),
);

export async function insertAttestations(
  { queries }: Unit,
  version: number,
  written: { readonly attestations?: readonly Attestation[]; readonly at: Date },
): Promise<void> {
  for (const { predicateType, bundle } of written.attestations ?? []) {
    await queries.run(INSERT, { version, predicateType, bundle, createdAt: written.at });
  }
}
