import type { KeptNpmVersion } from "@sealhouse/npm-protocol";
import type { StoredPackage } from "@sealhouse/nuget-protocol";
import type { ReleaseMember } from "../model/release.ts";

/** Packages that running releases hold. They stay after their versions were deleted. */
export interface HeldContents {
  nuget(member: ReleaseMember): Promise<StoredPackage | undefined>;
  npm(member: ReleaseMember): Promise<KeptNpmVersion | undefined>;
}
