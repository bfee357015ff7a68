import type { Settings, SettingValue } from "@sealhouse/settings";
import { UPSTREAM_SETTINGS } from "./table.ts";

/** Search in sources. */
export type UpstreamSearchConfig = {
  readonly isEnabled: boolean;
  readonly timeoutMs: number;
  readonly mergeStrategy: SettingValue<(typeof UPSTREAM_SETTINGS)["Search__MergeStrategy"]>;
  /** Whether search shows fetched packages. */
  readonly includesMirrored: boolean;
};

export function parseUpstreamSearch(settings: Settings): UpstreamSearchConfig {
  const own = settings.of(UPSTREAM_SETTINGS);
  return {
    isEnabled: own.get("Search__EnableUpstreamSearch"),
    timeoutMs: own.get("Search__UpstreamSearchTimeout"),
    mergeStrategy: own.get("Search__MergeStrategy"),
    includesMirrored: own.get("Search__IncludeMirroredPackages"),
  };
}
