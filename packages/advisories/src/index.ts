// Formats of advisories. What reads sources is in `./import`, which a host loads when it has one.
export { pageUrlOf } from "./formats/advisory-page.ts";
export type {
  AffectedRange,
  RangesReading,
  VersionBound,
  VersionOrder,
} from "./formats/affected-ranges.ts";
export { affectedRanges, mergeRanges } from "./formats/affected-ranges.ts";
export { cvssBaseScore } from "./formats/cvss.ts";
export type { AffectedPackage, OsvEcosystem, OsvReading, OsvStatement } from "./formats/osv.ts";
export { OSV_BYTES_MAX, readOsv } from "./formats/osv.ts";
export type { Cvss, Severity } from "./formats/severity.ts";
export { AdvisorySourceError, reasonOf, TooManyAdvisoriesError } from "./errors.ts";
export type {
  AdvisoryReaders,
  AdvisoryRecorder,
  AdvisoryRecorders,
  AdvisorySourceLocation,
  Counted,
  IndexReading,
  KnownSource,
  SourceLedger,
  VulnerabilityIndexReader,
} from "./ports.ts";
