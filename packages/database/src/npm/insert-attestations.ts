import type { Attestation } from "@sealhouse/npm-protocol";
import type { PlainUnit } from "../orm/unit-of-work.ts";
import type { Statement } from "../raw/query-port.ts";

const INSERT: Statement = {
  name: "npm-attestation-insert",
  sql: `insert into npm_attestations (version_id, predicate_type, bundle, created_at)
    values (?, ?, ?, ?)`,
};

export async function insertAttestations(
  { run }: PlainUnit,
  version: number,
  written: { readonly attestations?: readonly Attestation[]; readonly at: Date },
): Promise<void> {
  for (const { predicateType, bundle } of written.attestations ?? []) {
    await run(INSERT, [version, predicateType, bundle, written.at]);
  }
}
