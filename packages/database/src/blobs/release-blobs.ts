import type { Unit } from "../orm/unit-of-work.ts";

/** The tables that name blobs of a protocol, each in its column `blob_id`. */
const NAMED_BY = {
  nuget: ["nuget_versions", "nuget_symbol_packages", "nuget_symbol_files", "staged_versions"],
  npm: ["npm_versions", "staged_versions"],
} as const;
const REMOVE = { nuget: removal("nuget"), npm: removal("npm") } as const;
const LOCK = "select id from blobs where id = ?";

/**
 * Takes the row from those blobs of a protocol that nobody names any more, so that the next sweep
 * removes their objects. Each row is locked before it is asked who names it: whoever is about
 * to name it has it locked too, and either is seen here or finds the row gone.
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
