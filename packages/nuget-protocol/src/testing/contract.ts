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
import type { ContractTest } from "./contract-test.ts";

/** The part of the contract that is about searching. */
export const nugetSearchContract: readonly ContractTest[] = [...searchCases, ...searchFilterCases];

/**
 * Contract of catalogs. Independent of a test runner: a catalog's own test file loops over it and
 * passes to each case ports over an **empty** catalog.
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
