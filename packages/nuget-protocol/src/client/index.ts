// A client of NuGet feeds, ours or others. A separate entry, because a host that only serves does
// not need it.
export type { AdvisoryPageLink, FeedAdvisory } from "./advisories.ts";
export type { FollowedItem, FollowedLeaf } from "./catalog.ts";
export type {
  AdvisoryReads,
  DownloadOptions,
  NamedVersion,
  NuGetClient,
  NuGetClientOptions,
  SignatureReads,
} from "./client.ts";
export type { NuGetClientErrorCode } from "./client-error.ts";
export { NuGetClientError } from "./client-error.ts";
export type { Credentials } from "./credentials.ts";
export type { CallOptions, Fetch, Revised } from "@sealhouse/http-responses/outgoing";
export type { ConfigRemark } from "./nuget-config/config-remark.ts";
export type { ConfiguredSource } from "./nuget-config/config-source.ts";
export type { NuGetConfig, NuGetConfigOutcome } from "./nuget-config/nuget-config.ts";
export { readNuGetConfig } from "./nuget-config/nuget-config.ts";
export type { SourceMapping } from "./nuget-config/source-mapping.ts";
export { sourcesForId } from "./nuget-config/source-mapping.ts";
export { openNuGetClient } from "./open-client.ts";
export type { ChangeOutcome, PushedFile, PushOutcome } from "./push.ts";
export type { RevisedRead } from "./reader.ts";
export type { RegisteredText, RegisteredVersion } from "./registered-version.ts";
export type { RegistrationLeaf } from "./registration.ts";
export type { ResourceName } from "./resources.ts";
export type { FeedQuery, FoundPackage, FoundPackages } from "./search.ts";
export type { FeedCertificate, FeedSignatures } from "./signatures.ts";
