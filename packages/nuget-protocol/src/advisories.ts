// What reads advisories from other people's formats. An entry of its own, because only an import
// needs it.
export { cvssBaseScore } from "./advisories/cvss.ts";
export type { OsvReading } from "./advisories/osv.ts";
export { OSV_BYTES_MAX, parseOsv, readOsv } from "./advisories/osv.ts";
export { parseJson } from "@sealhouse/http-responses/outgoing";
export type { ReadJson, VulnerabilityReading } from "./advisories/vulnerability-index.ts";
export {
  isVulnerabilityIndex,
  readVulnerabilityIndex,
  VulnerabilityIndexError,
  vulnerabilityIndexOf,
} from "./advisories/vulnerability-index.ts";
