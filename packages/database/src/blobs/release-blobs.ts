import type { Unit } from "../orm/unit-of-work.ts";

const NAMED_BY = [
  ["nuget_versions", "blob_id"],
  ["nuget_symbol_packages", "blob_id"],
  ["nuget_symbol_files", "blob_id"],
] as const;
const REMOVE = {
  name: "nuget-blob-release",
  sql: `delete from blobs where id = ? and protocol = 'nuget'${NAMED_BY.map(
    ([table, column]) => ` and not exists (select 1 from ${table} where ${column} = ?)`,
  ).join("")}`,
};
const LOCK = "select id from blobs where id = ?";

/**
 * Takes the row from those blobs of the NuGet feed that nobody names any more, so that the next
 * sweep removes their objects. Each row is locked before it is asked who names it: whoever is about
 * to name it has it locked too, and either is seen here or finds the row gone.
 */
export async function releaseBlobs(
  { read, run, forUpdate }: Unit,
  ids: readonly number[],
): Promise<void> {
  // In one order everywhere, so that two changes never wait for each other.
  for (const id of [...new Set(ids)].toSorted((a, b) => a - b)) {
    await read({ name: `blob-lock${forUpdate}`, sql: `${LOCK}${forUpdate}` }, [id]);
    await run(REMOVE, [id, ...NAMED_BY.map(() => id)]);
  }
}
