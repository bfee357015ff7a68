// What reads advisories from other people's formats. An entry of its own, because only an import
// needs it.
export { readNuGetOsv } from "./advisories/osv.ts";
export { parseJson } from "@sealhouse/http-responses/outgoing";
export type { ReadJson, VulnerabilityReading } from "./advisories/vulnerability-index.ts";
export {
  isVulnerabilityIndex,
  readVulnerabilityIndex,
  VulnerabilityIndexError,
  vulnerabilityIndexOf,
} from "./advisories/vulnerability-index.ts";
