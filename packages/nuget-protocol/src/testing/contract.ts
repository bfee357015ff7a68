import type { AdvisoryLookup, AdvisoryRecorder } from "../advisories/ports.ts";
import type { CatalogLog, CatalogWriter } from "../catalog/ports.ts";
import type { NuGetPorts, PackageTotals } from "../ports.ts";
import type { DigestKeeper } from "../provenance/ports.ts";
import type { RetentionPackages } from "../retention/ports.ts";
import type { DependentsLookup, PackageSearch } from "../search/ports.ts";
import type { SymbolCatalog } from "../symbols/ports.ts";
import { catalogCases } from "./contract-catalog.ts";
import { advisoryCases } from "./contract-advisories.ts";
import { documentCases } from "./contract-documents.ts";
import { lifecycleCases } from "./contract-lifecycle.ts";
import { overwriteCases } from "./contract-overwrite.ts";
import { provenanceCases } from "./contract-provenance.ts";
import { recorderCases } from "./contract-recorder.ts";
import { searchFilterCases } from "./contract-search-filters.ts";
import { searchCases } from "./contract-search.ts";
import { symbolCases } from "./contract-symbols.ts";

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

/** The part of the contract that is about searching. */
export const nugetSearchContract: readonly ContractTest[] = [...searchCases, ...searchFilterCases];

/**
 * What every catalog must do. Runner-neutral: a catalog's own test file loops over it and hands
 * each case ports over an **empty** catalog.
 */
export const nugetPortsContract: readonly ContractTest[] = [
  ...recorderCases,
  ...overwriteCases,
  ...lifecycleCases,
  ...documentCases,
  ...nugetSearchContract,
  ...symbolCases,
  ...catalogCases,
  ...provenanceCases,
  ...advisoryCases,
];
