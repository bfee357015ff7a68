import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Settings } from "@sealhouse/settings";
import { UPSTREAM_SETTINGS } from "./table.ts";

/** The folder of packages that NuGet's clients of this machine have installed. */
export type LocalCacheConfig = {
  readonly path: string;
  /** Whether packages from it are stored like those that are fetched. */
  readonly isCopied: boolean;
};

/** Undefined = not used. */
export function parseLocalCache(settings: Settings): LocalCacheConfig | undefined {
  const own = settings.of(UPSTREAM_SETTINGS);
  if (!own.get("LocalCache__Enabled")) return undefined;
  const path =
    own.get("LocalCache__Path") ??
    own.get("NUGET_PACKAGES") ??
    join(homedir(), ".nuget", "packages");
  return { path: resolve(path), isCopied: own.get("LocalCache__CopyToFeedStorage") };
}
