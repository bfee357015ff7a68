export type { Digest, DigestAlgorithm } from "./digest.ts";
export { algorithmOf, digestOf, isDigest, parseDigest, parseDigestAlgorithm } from "./digest.ts";
export type { OciErrorCode, OciErrorEntry, OciErrorOptions } from "./errors.ts";
export { OciError } from "./errors.ts";
export type {
  Action,
  Authorize,
  BlobCatalog,
  BlobFiles,
  Caller,
  ManifestCatalog,
  ManifestEdge,
  NewBlob,
  NewManifest,
  OciPorts,
  Page,
  PublicAddressOf,
  Referrer,
  StagedBlob,
  StoredBlob,
  StoredManifest,
  TokenOutcome,
  TokenRequest,
  TokenScope,
  TokenService,
  UploadCatalog,
  UploadSession,
  Verdict,
} from "./ports.ts";
export type { RepositoryName } from "./repository-name.ts";
export {
  MAX_REPOSITORY_NAME_LENGTH,
  isRepositoryName,
  parseRepositoryName,
} from "./repository-name.ts";
