import { sql } from "#kysely";
import type { ExpressionBuilder } from "#kysely";
import type { Unit } from "../transactions/unit-of-work.ts";
import { param } from "../statements/kinds.ts";
import type { Parameter } from "../statements/parameter.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Tables } from "../statements/tables.ts";

/** The tables that name blobs of a protocol, each in its column `blob_id`. */
const NAMED_BY = {
  nuget: [
    "nuget_versions",
    "nuget_symbol_packages",
    "nuget_symbol_files",
    "staged_versions",
    "kept_contents",
    "held_contents",
  ],
  npm: ["npm_versions", "staged_versions", "kept_contents", "held_contents"],
} as const;
type Naming = (typeof NAMED_BY)[keyof typeof NAMED_BY][number];

const ID = { id: param.whole };

const LOCK = defineStatement("blob-lock", ID, (db, { id }, own) =>
  own.forUpdate(db.selectFrom("blobs").where("id", "=", id).select("id")),
);
const REMOVE = { nuget: removal("nuget"), npm: removal("npm") } as const;

/**
 * Deletes the rows of unreferenced blobs of a protocol, so that the next sweep deletes their
 * objects. It locks each row before it checks for references. A concurrent change that references
 * the blob also locks the row, so one of the two sees the other.
 */
export async function releaseBlobs(
  { queries }: Pick<Unit, "queries">,
  ids: readonly number[],
  protocol: keyof typeof NAMED_BY = "nuget",
): Promise<void> {
  // In one order everywhere, so that two changes never wait for each other.
  for (const id of [...new Set(ids)].toSorted((a, b) => a - b)) {
    await queries.one(LOCK, { id });
    await queries.run(REMOVE[protocol], { id });
  }
}

function removal(protocol: keyof typeof NAMED_BY) {
  return defineStatement(`${protocol}-blob-release`, ID, (db, { id }) =>
    db
      .deleteFrom("blobs")
      .where("id", "=", id)
      .where("protocol", "=", sql.lit(protocol))
      .where((blob) => blob.and(NAMED_BY[protocol].map((table) => isUnnamed(blob, table, id)))),
  );
}

function isUnnamed(blob: ExpressionBuilder<Tables, "blobs">, table: Naming, id: Parameter<number>) {
  const names = blob
    .selectFrom(table)
    .where(sql.ref("blob_id"), "=", id)
    .select(sql.lit(1).as("one"));
  return blob.not(blob.exists(names));
}
