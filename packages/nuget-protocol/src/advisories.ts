// Readers of advisories in foreign formats. A separate entry, because only an import needs it.
export { readNuGetOsv } from "./advisories/osv.ts";
export type { ReadJson } from "./advisories/vulnerability-index.ts";
export {
  isVulnerabilityIndex,
  readVulnerabilityIndex,
  vulnerabilityIndexOf,
} from "./advisories/vulnerability-index.ts";
