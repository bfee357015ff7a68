export type {
  ImageOptions,
  IndexOptions,
  TestBlob,
  TestDescriptor,
  TestManifest,
} from "./build-image.ts";
export {
  DOCKER_LIST,
  DOCKER_MANIFEST,
  OCI_INDEX,
  OCI_MANIFEST,
  blobOf,
  buildImage,
  buildIndex,
  buildRaw,
  describe,
} from "./build-image.ts";
export type {
  ConformanceCase,
  ConformanceTarget,
  Conversation,
  Need,
  Send,
} from "./conformance/conversation.ts";
export { conformanceTable, totalsOf } from "./conformance/conformance-table.ts";
export { converse } from "./conformance/conversation.ts";
export type { ConformanceGroup } from "./conformance/oci-conformance.ts";
export {
  idsOf,
  isApplicable,
  ociConformance,
  ociConformanceGroups,
} from "./conformance/oci-conformance.ts";
export type { CaseResult } from "./conformance/run-conformance.ts";
export { runConformance } from "./conformance/run-conformance.ts";
export { sendAs, sendPlainly, sendReadsAs } from "./conformance/send-as.ts";
export type { OciCatalog, OciPortsCase } from "./contract/contract-case.ts";
export type { GarbageCase, GarbageSubject } from "./contract/gc-case.ts";
export { garbageContract } from "./contract/gc-cases.ts";
export { ociPortsContract } from "./contract/oci-ports-contract.ts";
export type { OciTagsCase, OciTagsCatalog } from "./contract/tag-cases.ts";
export { contractImmutableTags, ociTagsContract } from "./contract/tag-cases.ts";
export type { FoundViolation } from "./interleaving/first-violation.ts";
export { describeViolation, firstViolation } from "./interleaving/first-violation.ts";
export type { Inventory } from "./interleaving/oracle.ts";
export type { Simulation } from "./interleaving/run-seed.ts";
export type { StormOptions } from "./interleaving/storm.ts";
export { runStorm } from "./interleaving/storm.ts";
export type { RegistryPorts, SimulatedRegistry } from "./interleaving/watched-ports.ts";
export type { MemoryAccess, MemoryIdentity } from "./memory-access.ts";
export { createMemoryAccess } from "./memory-access.ts";
export type { MemoryCatalog } from "./memory-catalog.ts";
export { createMemoryCatalog } from "./memory-catalog.ts";
export type { CatalogFlaw, MemoryCatalogOptions } from "./memory-state.ts";
export type { MemoryFiles } from "./memory-files.ts";
export { createMemoryFiles } from "./memory-files.ts";
export type { MemoryOciPorts } from "./memory-ports.ts";
export { createMemoryOciPorts } from "./memory-ports.ts";
export type { MemoryTagsOptions } from "./memory-tags.ts";
export { createMemoryTags } from "./memory-tags.ts";
export { createMemoryUploads } from "./memory-uploads.ts";
