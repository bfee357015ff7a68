import type { Settings } from "@sealhouse/settings";
import { NUGET_SETTINGS } from "./table.ts";

export type NuGetConfig = {
  readonly isReadOnlyMode: boolean;
  readonly overwrites: "never" | "prerelease" | "always";
  readonly deletion: "unlist" | "delete";
  readonly maxPackageBytes?: number;
  readonly reportAbuseUrl?: string;
};

const OVERWRITES = { false: "never", PrereleaseOnly: "prerelease", true: "always" } as const;
const DELETIONS = { Unlist: "unlist", HardDelete: "delete" } as const;

export function parseNuGet(settings: Settings): NuGetConfig {
  const own = settings.of(NUGET_SETTINGS);
  const maxPackageBytes = own.get("Feed__NuGet__MaxPackageBytes");
  return {
    isReadOnlyMode: own.get("IsReadOnlyMode"),
    overwrites: OVERWRITES[own.get("AllowPackageOverwrites")],
    deletion: DELETIONS[own.get("PackageDeletionBehavior")],
    ...(maxPackageBytes !== undefined && { maxPackageBytes }),
    ...reportAbuse(own.get("Feed__NuGet__ReportAbuseUrl")),
  };
}

/** A URL comes back with its braces encoded; clients look for the plain ones. */
function reportAbuse(url: string | undefined): { readonly reportAbuseUrl?: string } {
  if (url === undefined) return {};
  return { reportAbuseUrl: url.replaceAll(/%7B(id|version)%7D/gi, "{$1}") };
}
