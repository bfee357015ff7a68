// A client of npm registries, ours or others. A separate entry, because a host that only serves
// does not need it.
export type { CallOptions, Refusal } from "@sealhouse/http-responses/outgoing";
export type { RemoteToken } from "./accounts.ts";
export type {
  FoundPackument,
  NpmClient,
  NpmClientOptions,
  PackumentOptions,
  RemoteName,
  TarballOptions,
} from "./client.ts";
export { NpmClientError } from "./client-error.ts";
export type { NpmClientErrorCode } from "./client-error.ts";
export type { NpmCredentials } from "./credentials.ts";
export { openNpmClient } from "./open-client.ts";
export { parsePackument } from "./packument-document.ts";
export type { RemoteDist, RemotePackument, RemoteVersion } from "./packument-document.ts";
export type { NewVersion, PublishVersionOutcome } from "./publish.ts";
export type { FoundPackage, FoundPackages, RegistryQuery } from "./search.ts";
export type { ChangeOutcome } from "./send.ts";
export type { StageOutcome } from "./stage.ts";
export { checkSignatures } from "./signatures.ts";
export type { RemoteKey, SignatureVerdict } from "./signatures.ts";
export type { RemoteAdvisory } from "./statements.ts";
export type { Fetch } from "@sealhouse/http-responses/outgoing";
