export { clockThresholdMs, parseOciGarbage } from "./parse-garbage.ts";
export type { OciGarbageConfig } from "./parse-garbage.ts";
export { parseOci } from "./parse-oci.ts";
export type { OciConfig } from "./parse-oci.ts";
export { parseOciSeal } from "./parse-seal.ts";
export type { OciSealConfig } from "./parse-seal.ts";
export type { HostNames, OciSegment, SegmentOptions } from "./parse-segments.ts";
export { OCI_SEAL_SETTINGS } from "./seal-table.ts";
export { OCI_SETTINGS } from "./table.ts";
