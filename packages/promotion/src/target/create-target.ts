import type { Protocol } from "@sealhouse/request-types";
import { TARGET_DEFAULTS } from "../model/publish-target.ts";
import type { PublishTarget, TargetCredentials, TargetOptions } from "../model/publish-target.ts";

/** Parts of a new target; options that are not given get defaults. */
export type TargetParts = Pick<PublishTarget, "name" | "protocol"> & {
  readonly endpoint: string;
  readonly credentials?: TargetCredentials | undefined;
  readonly expiresAt?: Date | undefined;
  readonly options?: Partial<TargetOptions>;
};

/** Hosts that take attestations of npm versions. */
const ATTESTING_HOSTS: ReadonlySet<string> = new Set(["registry.npmjs.org"]);

/**
 * Creates a target, with defaults for the options that are not given.
 * @throws {TypeError} when the endpoint is not a URL
 */
export function createTarget(parts: TargetParts): PublishTarget {
  const { name, protocol, credentials, expiresAt, options } = parts;
  const endpoint = endpointUrl(protocol, parts.endpoint);
  const attestations = protocol === "npm" && ATTESTING_HOSTS.has(endpoint.hostname);
  return {
    name,
    protocol,
    endpoint,
    ...(credentials && { credentials }),
    ...(expiresAt && { expiresAt }),
    hasLostCredentials: false,
    options: { ...TARGET_DEFAULTS, attestations, ...options },
  };
}

/** The endpoint in one form, so that equal addresses have equal texts. */
function endpointUrl(protocol: Protocol, text: string): URL {
  const url = new URL(text);
  url.hash = "";
  if (protocol !== "nuget") url.pathname = url.pathname.replace(/\/+$/, "");
  return url;
}
