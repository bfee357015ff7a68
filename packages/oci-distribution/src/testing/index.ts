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
export type { OciCatalog, OciPortsCase } from "./contract/contract-case.ts";
export { ociPortsContract } from "./contract/oci-ports-contract.ts";
export type { MemoryCatalog } from "./memory-catalog.ts";
export { createMemoryCatalog } from "./memory-catalog.ts";
export type { MemoryFiles } from "./memory-files.ts";
export { createMemoryFiles } from "./memory-files.ts";
export { createMemoryUploads } from "./memory-uploads.ts";
