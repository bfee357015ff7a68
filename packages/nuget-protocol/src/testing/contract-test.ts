import type { AdvisoryLookup, AdvisoryRecorder } from "../advisories/ports.ts";
import type { CatalogLog, CatalogWriter } from "../catalog/ports.ts";
import type { NuGetPorts, PackageTotals } from "../ports.ts";
import type { DigestKeeper } from "../provenance/ports.ts";
import type { RetentionPackages } from "../retention/ports.ts";
import type { DependentsLookup, PackageSearch } from "../search/ports.ts";
import type { SymbolCatalog } from "../symbols/ports.ts";

/** The ports a catalog answers. */
export type CatalogPorts = Pick<
  NuGetPorts,
  "lookup" | "recorder" | "lifecycle" | "documents" | "provenance"
> & {
  readonly digests: DigestKeeper;
  readonly search: PackageSearch & DependentsLookup;
  readonly symbols: SymbolCatalog;
  readonly advisories: AdvisoryLookup & AdvisoryRecorder;
  readonly catalog: CatalogLog & CatalogWriter;
  readonly retention: RetentionPackages;
  readonly totals: PackageTotals;
};

export type ContractTest = {
  readonly name: string;
  readonly run: (ports: CatalogPorts) => Promise<void>;
};
