// A client of OCI registries, ours or others. A separate entry, because a host that only serves
// does not need it.
export type { CallOptions } from "@sealhouse/http-responses/outgoing";
export type { Authentication, Credentials } from "./authenticator.ts";
export type {
  BlobDownload,
  BlobUpload,
  ContentDescriptor,
  FetchedManifest,
  FoundManifest,
  ManifestPutOutcome,
  OciClient,
  OciClientOptions,
  ReferrerOptions,
  RepositoryClient,
} from "./client.ts";
export type { OciClientErrorCode } from "./client-error.ts";
export { OciClientError } from "./client-error.ts";
export { attachedTagsOf, fallbackTagOf } from "../attached-tag.ts";
export { openOciClient } from "./open-client.ts";
export type { CompletedManifests, Copier, CopierOptions } from "./copy/copier.ts";
export { createCopier } from "./copy/copier.ts";
export type { CopiedItem, CopyErrorCode, CopyReport } from "./copy/copied.ts";
export { CopyError, isCopyError } from "./copy/copied.ts";
export { missingChildren } from "./copy/missing-children.ts";
export type {
  ImageSource,
  ImageTarget,
  RepositoryHome,
  SourceBlob,
  SourceManifest,
} from "./copy/ports.ts";
export { registrySource } from "./copy/registry-source.ts";
export { registryTarget } from "./copy/registry-target.ts";
