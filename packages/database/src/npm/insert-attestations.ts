import type { Attestation } from "@sealhouse/npm-protocol";
import { NpmAttestation } from "../entities/npm.ts";
import type { Unit } from "../orm/unit-of-work.ts";

export async function insertAttestations(
  { catalog }: Unit,
  version: number,
  written: { readonly attestations?: readonly Attestation[]; readonly at: Date },
): Promise<void> {
  for (const { predicateType, bundle } of written.attestations ?? []) {
    const row = { version, predicateType, bundle, createdAt: written.at };
    await catalog.insert(NpmAttestation, row);
  }
}
