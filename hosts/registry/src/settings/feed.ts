import { parseAdvisorySources } from "@sealhouse/advisories/settings";
import type { AdvisorySourcesConfig } from "@sealhouse/advisories/settings";
import { parsePublicUrls } from "@sealhouse/http-server/settings";
import { parseTrustedPublishing } from "@sealhouse/identity/settings";
import type { TrustedPublishingConfig } from "@sealhouse/identity/settings";
import { parseNpm } from "@sealhouse/npm-protocol/settings";
import type { NpmConfig } from "@sealhouse/npm-protocol/settings";
import { parseNuGet } from "@sealhouse/nuget-protocol/settings";
import type { NuGetConfig } from "@sealhouse/nuget-protocol/settings";
import { parseOci } from "@sealhouse/oci-distribution/settings";
import type { HostNames, OciConfig } from "@sealhouse/oci-distribution/settings";
import { parseHostNames } from "./host-names.ts";
import { RESERVED_SEGMENTS } from "./reserved-segments.ts";
import type { Settings } from "./settings.ts";

export type FeedConfig = {
  /** The feed's id. */
  readonly name: string;
  /** Allowed public addresses, without trailing slash; empty = taken from the request. */
  readonly publicBaseUrls: readonly string[];
  readonly anonymousPull: boolean;
  readonly vulnerabilities: AdvisorySourcesConfig;
  readonly nuget: NuGetConfig;
  readonly npm: NpmConfig;
  readonly oci: OciConfig;
  readonly trustedPublishing: TrustedPublishingConfig;
};

export function parseFeed(settings: Settings): FeedConfig {
  const name = settings.get("Feed__Name");
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    settings.problem("Feed__Name", "allowed: up to 64 letters, digits and . _ -");
  }
  const publicBaseUrls = parsePublicUrls(settings);
  const taken = new Map<string, string>();
  const hostNames: HostNames = (part) =>
    parseHostNames(settings, publicBaseUrls, { ...part, taken });
  const npm = parseNpm(settings, (key, names) =>
    hostNames({ key, names, what: "npm", path: "/npm" }),
  );
  const oci = parseOci(settings, { reserved: RESERVED_SEGMENTS, hostNames });
  const mainHosts = publicBaseUrls.map((url) => new URL(url).hostname);
  const trustedPublishing = parseTrustedPublishing(settings, {
    hosts: {
      nuget: mainHosts,
      npm: [...mainHosts, ...npm.hostNames],
      oci: [...mainHosts, ...oci.segments.flatMap((segment) => segment.hostNames)],
    },
    allowHttp: settings.get("Host__OutgoingRequests__AllowPrivateAddresses"),
  });
  return {
    name,
    publicBaseUrls,
    anonymousPull: settings.get("Feed__Authentication__AllowAnonymousPull"),
    vulnerabilities: parseAdvisorySources(settings),
    nuget: parseNuGet(settings),
    npm,
    oci,
    trustedPublishing,
  };
}
