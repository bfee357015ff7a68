import { isPackageId, lowerId } from "./package-id.ts";
import { lowerVersion } from "./package-version.ts";
import type { Caller, PackageRecorder } from "./ports.ts";

/**
 * Hides a version from search, or shows it again; either way it can still be downloaded. Takes
 * names as they come in a path: any casing, versions in any form.
 */
export async function setListed(
  recorder: PackageRecorder,
  named: { readonly id: string; readonly version: string },
  listed: boolean,
  caller: Caller,
): Promise<"changed" | "unchanged" | "absent"> {
  const version = lowerVersion(named.version);
  if (version === undefined || !isPackageId(named.id)) return "absent";
  return recorder.setListed(lowerId(named.id), version, listed, caller);
}
