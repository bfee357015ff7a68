import type { Caller } from "@sealhouse/request-types";
import { isPackageId, lowerId } from "./notation/package-id.ts";
import { lowerVersion } from "./notation/package-version.ts";
import type { PackageLifecycle, PackageRecorder } from "./ports.ts";

/** Names as they come in a path: any casing, versions in any form. */
export type PathNames = { readonly id: string; readonly version: string };

/** Hides a version from search, or shows it again; either way it can still be downloaded. */
export async function setListed(
  recorder: PackageRecorder,
  names: PathNames,
  listed: boolean,
  caller: Caller,
): Promise<"changed" | "unchanged" | "absent"> {
  const version = lowerVersion(names.version);
  if (version === undefined || !isPackageId(names.id)) return "absent";
  return recorder.setListed(lowerId(names.id), version, listed, caller);
}

/** Deletes a version for good. */
export async function deleteVersion(
  lifecycle: Pick<PackageLifecycle, "delete">,
  names: PathNames,
  caller: Caller,
): Promise<"deleted" | "absent"> {
  const version = lowerVersion(names.version);
  if (version === undefined || !isPackageId(names.id)) return "absent";
  return lifecycle.delete(lowerId(names.id), version, caller);
}
