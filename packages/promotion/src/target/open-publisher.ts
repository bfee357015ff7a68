import type { Fetch } from "@sealhouse/http-responses/outgoing";
import { openNpmClient } from "@sealhouse/npm-protocol/client";
import { openNuGetClient } from "@sealhouse/nuget-protocol/client";
import { openOciClient } from "@sealhouse/oci-distribution/client";
import type { MemberContents } from "../publishers/contents.ts";
import { npmPublisher } from "../publishers/npm-publisher.ts";
import { nugetPublisher } from "../publishers/nuget-publisher.ts";
import { ociPublisher } from "../publishers/oci-publisher.ts";
import type { CompletedImages } from "../publishers/oci-publisher.ts";
import type { Publisher } from "../publishers/publisher.ts";
import { hidingSecrets } from "./hide-secrets.ts";
import type { LentCredentials, PublishTarget, TargetCredentials } from "../model/publish-target.ts";

/** Dependencies of publishers. */
export type PublisherParts = {
  /** As `openTargetFetch` returns it. */
  readonly fetch: Fetch;
  readonly contents: MemberContents;
  /** Manifests that are complete at the target. */
  readonly completed: CompletedImages;
};

/** Opens the publisher of a target. It makes each write once, and needs no closing. */
export function openPublisher(target: PublishTarget, parts: PublisherParts): Publisher {
  return hidingSecrets(target, publisherOf(target, parts));
}

function publisherOf(target: PublishTarget, parts: PublisherParts): Publisher {
  const { contents, completed } = parts;
  switch (target.protocol) {
    case "nuget": {
      const { client, hasIndex } = nugetClient(target, parts.fetch);
      return nugetPublisher({ client, hasIndex, target, contents });
    }
    case "npm":
      return npmPublisher({ client: npmClient(target, parts.fetch), target, contents });
    case "oci":
      return ociPublisher({ client: ociClient(target, parts.fetch), target, contents, completed });
  }
}

/** A target as its client needs it. */
type Place = Pick<PublishTarget, "endpoint" | "options"> & {
  readonly credentials?: TargetCredentials;
};

/** Credentials of pipelines are known per release only. */
function ownCredentials({
  credentials,
}: Place): Exclude<TargetCredentials, LentCredentials> | undefined {
  return credentials?.type === "lent" ? undefined : credentials;
}

/** An endpoint that ends in `/index.json` is a service index; any other is where packages go. */
export function nugetClient(place: Place, fetch: Fetch) {
  const { endpoint, options } = place;
  const credentials = ownCredentials(place);
  const hasIndex = endpoint.pathname.endsWith("/index.json");
  const client = openNuGetClient({
    source: endpoint,
    fetch,
    ...(!hasIndex && { pushUrl: endpoint }),
    ...(credentials?.type === "api-key" ? { apiKey: credentials.key } : { credentials }),
    alsoTrusted: options.allowedOrigins,
  });
  return { client, hasIndex };
}

export function npmClient(place: Place, fetch: Fetch) {
  const { endpoint, options } = place;
  const credentials = ownCredentials(place);
  const bearer = credentials?.type === "api-key" ? undefined : credentials;
  return openNpmClient({
    registry: endpoint,
    fetch,
    credentials: bearer,
    alsoTrusted: options.allowedOrigins,
  });
}

export function ociClient(place: Place, fetch: Fetch) {
  const { endpoint, options } = place;
  const credentials = ownCredentials(place);
  const registry = new URL(endpoint.origin);
  const login = credentials?.type === "api-key" ? undefined : credentials;
  const tokenRealms = new Set([endpoint.origin, ...options.allowedOrigins]);
  return openOciClient({ registry, fetch, credentials: login, tokenRealms });
}
