import type { Database } from "../database.ts";
import type { PortContext } from "../port-context.ts";
import { createCertificateList } from "../signing/certificate-list.ts";
import { createProvenance } from "../signing/provenance.ts";
import { replaceSeal } from "../signing/replace-seal.ts";
import { keepSeal } from "../signing/seal-keeper.ts";
import { createSealedVersions } from "../signing/sealed-versions.ts";
import { createAdvisories } from "./advisories/advisories.ts";
import { createCatalogLog } from "./catalog/catalog-log.ts";
import { createPackageIds } from "./statements/package-ids.ts";
import { createPackageLifecycle } from "./lifecycle/package-lifecycle.ts";
import { createPackageLookup } from "./statements/package-lookup.ts";
import { createPackagePast } from "./statements/package-past.ts";
import { createPackageRecorder } from "./lifecycle/package-recorder.ts";
import { createPackageSearch } from "./search/package-search.ts";
import { createPackageTotals } from "./statements/package-totals.ts";
import { cacheSearches } from "./search/search-cache.ts";
import { createRetentionPackages } from "./lifecycle/retention-packages.ts";
import { searchDialect } from "./search/search-dialects.ts";
import { createSymbolCatalog } from "./lifecycle/symbol-catalog.ts";

const SEARCH_CACHE_BYTES = 8 * 1024 * 1024;

/** Composes the ports of NuGet. */
export function createNuGetPorts(context: PortContext): Database["nuget"] {
  const { type, queries, changes, options } = context;
  return {
    lookup: createPackageLookup(queries),
    past: createPackagePast(queries, context.beginning),
    totals: createPackageTotals(queries),
    recorder: createPackageRecorder(changes),
    lifecycle: createPackageLifecycle(context),
    search: cacheSearches(
      (count) => createPackageSearch(queries, searchDialect(type), { count }),
      context,
      SEARCH_CACHE_BYTES,
    ),
    symbols: createSymbolCatalog(context),
    advisories: createAdvisories(context),
    catalog: createCatalogLog(context),
    retention: createRetentionPackages(context),
    ids: createPackageIds(queries),
    certificates: createCertificateList(queries, {
      advertiseAllSigned: options.advertiseAllRepositorySigned ?? false,
    }),
    ...createProvenance(queries, changes),
    seals: {
      ...createSealedVersions(queries),
      keep: (file, seal) => keepSeal(changes, file, seal),
      replace: (file, change) => replaceSeal(changes, file, change),
    },
  };
}
