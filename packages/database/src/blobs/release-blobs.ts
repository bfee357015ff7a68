import type { Unit } from "../transactions/unit-of-work.ts";

/** The tables that name blobs of a protocol, each in its column `blob_id`. */
const NAMED_BY = {
  nuget: ["nuget_versions", "nuget_symbol_packages", "nuget_symbol_files", "staged_versions"],
  npm: ["npm_versions", "staged_versions"],
} as const;
const REMOVE = { nuget: removal("nuget"), npm: removal("npm") } as const;
const LOCK = "select id from blobs where id = ?";

/**
 * Deletes the rows of unreferenced blobs of a protocol, so that the next sweep deletes their
 * objects. It locks each row before it checks for references. A concurrent change that references
 * the blob also locks the row, so one of the two sees the other.
 */
export async function releaseBlobs(
  { read, run, forUpdate }: Unit,
  ids: readonly number[],
  protocol: keyof typeof NAMED_BY = "nuget",
): Promise<void> {
  // In one order everywhere, so that two changes never wait for each other.
  for (const id of [...new Set(ids)].toSorted((a, b) => a - b)) {
    await read({ name: `blob-lock${forUpdate}`, sql: `${LOCK}${forUpdate}` }, [id]);
    await run(REMOVE[protocol], [id, ...NAMED_BY[protocol].map(() => id)]);
  }
}

function removal(protocol: keyof typeof NAMED_BY) {
  const named = NAMED_BY[protocol].map((table) => `select 1 from ${table} where blob_id = ?`);
  const unnamed = named.map((select) => ` and not exists (${select})`).join("");
  return {
    name: `${protocol}-blob-release`,
    sql: `delete from blobs where id = ? and protocol = '${protocol}'${unnamed}`,
  };
}
