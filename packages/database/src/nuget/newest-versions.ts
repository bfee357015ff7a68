import { compareVersionTexts } from "@sealhouse/nuget-protocol";
import { NuGetPackage, NuGetVersion } from "../entities/nuget.ts";
import type { Unit } from "../orm/unit-of-work.ts";

type Listed = {
  readonly id: number;
  readonly version: string;
  readonly isPrerelease: boolean;
  readonly isSemVer2: boolean;
};

/** Writes down the newest listed version for each way a search can ask, after a change. */
export async function noteNewest({ catalog }: Unit, packageId: number): Promise<void> {
  const listed: readonly Listed[] = await catalog.find(
    NuGetVersion,
    { package: packageId, listed: true },
    { fields: ["id", "version", "isPrerelease", "isSemVer2"], disableIdentityMap: true },
  );
  const sorted = listed.toSorted((one, other) => compareVersionTexts(one.version, other.version));
  const newest = (passes: (version: Listed) => boolean) => sorted.findLast(passes)?.id ?? null;
  await catalog.nativeUpdate(
    NuGetPackage,
    { id: packageId },
    {
      newestStable1: newest((version) => !version.isPrerelease && !version.isSemVer2),
      newestAny1: newest((version) => !version.isSemVer2),
      newestStable2: newest((version) => !version.isPrerelease),
      newestAny2: newest(() => true),
    },
  );
}
