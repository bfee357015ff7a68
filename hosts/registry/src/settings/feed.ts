import { parseHostNames } from "./host-names.ts";
import { parseOciSegments } from "./oci-segments.ts";
import type { OciSegment } from "./oci-segments.ts";
import type { Settings } from "./settings.ts";
import { parseTrustedPublishing } from "./trusted-publishing.ts";
import type { TrustedPublishingConfig } from "./trusted-publishing.ts";
import { parseVulnerabilities } from "./vulnerabilities.ts";
import type { VulnerabilitiesConfig } from "./vulnerabilities.ts";

export type FeedConfig = {
  /** The feed's id. */
  readonly name: string;
  /** Allowed public addresses, without trailing slash; empty = taken from the request. */
  readonly publicBaseUrls: readonly string[];
  readonly anonymousPull: boolean;
  readonly vulnerabilities: VulnerabilitiesConfig;
  readonly nuget: NuGetConfig;
  readonly npm: {
    readonly enabled: boolean;
    /** Lower-case, without port: where npm stands at the root. Empty while npm is off. */
    readonly hostNames: readonly string[];
    readonly unpublishWithinMs: number;
    /** How long staged versions wait, and how many of one package. */
    readonly stagedForMs: number;
    readonly stagedPerPackage: number;
    /** Whether versions get registry signatures. */
    readonly signatures: boolean;
    /** Whether an operator confirms what a stolen token must not be enough for. */
    readonly stepUp: boolean;
    /** Whether an operator may let people in whose npm shows a code. */
    readonly webLogin: boolean;
    readonly trustedPublishing: TrustedPublishingConfig;
    /** File of the root of trust that provenance statements are verified against. */
    readonly trustedRoot?: string;
    readonly maxTarballBytes?: number;
  };
  readonly oci: {
    /** Whether there is any surface. */
    readonly enabled: boolean;
    /** Whether there are repositories beside those of segments. */
    readonly hasDefault: boolean;
    readonly segments: readonly OciSegment[];
    readonly tokenLifetimeMs: number;
    readonly maxBlobBytes: number;
    /** How long an upload may stand still. */
    readonly uploadExpiryMs: number;
  };
};

export type NuGetConfig = {
  readonly isReadOnlyMode: boolean;
  readonly overwrites: "never" | "prerelease" | "always";
  readonly deletion: "unlist" | "delete";
  readonly maxPackageBytes?: number;
  readonly reportAbuseUrl?: string;
};

export function parseFeed(settings: Settings): FeedConfig {
  const name = settings.get("Feed__Name");
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    settings.problem("Feed__Name", "allowed: up to 64 letters, digits and . _ -");
  }
  const one = settings.get("Feed__PublicBaseUrl");
  const several = settings.get("Feed__PublicBaseUrls");
  const publicBaseUrls = [...new Set([...(one === undefined ? [] : [one]), ...several])];
  const isNpmOn = settings.get("Feed__Npm__Enabled");
  const taken = new Map<string, string>();
  const hostNames = parseHostNames(settings, publicBaseUrls, {
    key: "Feed__Npm__HostNames",
    names: isNpmOn ? settings.get("Feed__Npm__HostNames") : [],
    what: "npm",
    path: "/npm",
    taken,
  });
  const trustedRoot = settings.get("Feed__Npm__Provenance__TrustedRoot");
  const maxTarballBytes = settings.get("Feed__Npm__MaxTarballBytes");
  return {
    name,
    publicBaseUrls,
    anonymousPull: settings.get("Feed__Authentication__AllowAnonymousPull"),
    vulnerabilities: parseVulnerabilities(settings),
    nuget: parseNuGet(settings),
    npm: {
      enabled: isNpmOn,
      hostNames,
      signatures: settings.get("Feed__Npm__Signatures__Enabled"),
      stepUp: settings.get("Feed__Npm__StepUp__Enabled"),
      webLogin: settings.get("Feed__Npm__WebLogin__Enabled"),
      trustedPublishing: parseTrustedPublishing(settings, [
        ...publicBaseUrls.map((url) => new URL(url).hostname),
        ...hostNames,
      ]),
      unpublishWithinMs: settings.get("Feed__Npm__UnpublishWithin"),
      stagedForMs: settings.get("Feed__Npm__Stage__KeepFor"),
      stagedPerPackage: settings.get("Feed__Npm__Stage__MaxPerPackage"),
      ...(trustedRoot !== undefined && { trustedRoot }),
      ...(maxTarballBytes !== undefined && { maxTarballBytes }),
    },
    oci: parseOci(settings, parseOciSegments(settings, publicBaseUrls, taken)),
  };
}

function parseOci(settings: Settings, segments: readonly OciSegment[]): FeedConfig["oci"] {
  const hasDefault = settings.get("Feed__Oci__Default__Enabled");
  return {
    enabled: hasDefault || segments.length > 0,
    hasDefault,
    segments,
    tokenLifetimeMs: settings.get("Feed__Oci__TokenLifetime"),
    uploadExpiryMs: settings.get("Feed__Oci__UploadExpiry"),
    maxBlobBytes: settings.get("Feed__Oci__Default__MaxBlobBytes") ?? Number.MAX_SAFE_INTEGER,
  };
}

const OVERWRITES = { false: "never", PrereleaseOnly: "prerelease", true: "always" } as const;
const DELETIONS = { Unlist: "unlist", HardDelete: "delete" } as const;

function parseNuGet(settings: Settings): NuGetConfig {
  const maxPackageBytes = settings.get("Feed__NuGet__MaxPackageBytes");
  return {
    isReadOnlyMode: settings.get("IsReadOnlyMode"),
    overwrites: OVERWRITES[settings.get("AllowPackageOverwrites")],
    deletion: DELETIONS[settings.get("PackageDeletionBehavior")],
    ...(maxPackageBytes !== undefined && { maxPackageBytes }),
    ...reportAbuse(settings.get("Feed__NuGet__ReportAbuseUrl")),
  };
}

/** A URL comes back with its braces encoded; clients look for the plain ones. */
function reportAbuse(url: string | undefined): { readonly reportAbuseUrl?: string } {
  if (url === undefined) return {};
  return { reportAbuseUrl: url.replaceAll(/%7B(id|version)%7D/gi, "{$1}") };
}
