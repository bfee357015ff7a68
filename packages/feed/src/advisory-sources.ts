import type { AdvisorySourceLocation } from "@sealhouse/advisories";
import type { Database } from "@sealhouse/database";
import { openOutgoingFetch } from "@sealhouse/http-server";
import type { OutgoingConfig } from "@sealhouse/http-server";
import { advisoryRecorders, loadAdvisoryReaders } from "./advisory-parts.ts";

/** Opens the sources of advisories for administrators. */
export function advisorySources({
  database,
  configured,
  host,
}: {
  readonly database: Pick<Database, "nuget" | "npm">;
  readonly configured: readonly AdvisorySourceLocation[];
  readonly host: OutgoingConfig;
}) {
  const load = () => import("@sealhouse/advisories/import");
  return {
    configured: () => configured,
    imported: async () => (await load()).importedSources(database.nuget.advisories),
    async import(
      source: AdvisorySourceLocation,
      how: { readonly isByHand: boolean; readonly signal: AbortSignal },
    ) {
      const { importAdvisories } = await load();
      const recorders = advisoryRecorders(database);
      const readers = await loadAdvisoryReaders();
      return importAdvisories(source, {
        readers,
        recorders,
        fetch: openOutgoingFetch(host),
        ...how,
      });
    },
    async remove(name: string) {
      const { removeSource } = await load();
      await removeSource(advisoryRecorders(database), name);
    },
  };
}
