import type { NpmCatalog } from "./contract-fixtures.ts";

export type NpmPortsTest = {
  readonly name: string;
  readonly run: (catalog: NpmCatalog) => Promise<void>;
};
