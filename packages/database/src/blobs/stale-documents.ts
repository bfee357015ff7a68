import type { Protocol } from "@sealhouse/request-types";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";

const NPM_PACKAGES = defineStatement("npm-blob-packages", { blob: param.whole }, (db, { blob }) =>
  db
    .selectFrom("npm_versions as v")
    .innerJoin("npm_packages as p", "p.id", "v.package_id")
    .where("v.blob_id", "=", blob)
    .select("p.name")
    .distinct(),
);

/**
 * Makes the documents stale that show whether a blob is damaged: a packument omits versions whose
 * tarball is. Call with the row of the blob locked, in the transaction that marks or restores it.
 */
export async function staleDocuments(
  changes: Pick<Changes, "staleAll">,
  unit: Unit,
  { protocol, id }: { readonly protocol: Protocol; readonly id: number },
): Promise<void> {
  if (protocol !== "npm") return;
  const rows = await unit.queries.all(NPM_PACKAGES, { blob: id });
  await changes.staleAll(
    unit,
    rows.map(({ name }) => `npm/${name}`),
  );
}
