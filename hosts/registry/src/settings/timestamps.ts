import type { TimestampConfig } from "@sealhouse/repo-signing/feed";
import type { Settings } from "./settings.ts";

/** The default server is not asked where an operator has named others. */
export function parseTimestamps(settings: Settings): TimestampConfig {
  const several = settings.get("Signing__TimestampServerUrls");
  const isNamed = settings.textOf("Signing__TimestampServerUrl") !== undefined;
  const one = settings.get("Signing__TimestampServerUrl");
  const first = (isNamed || several.length === 0) && one !== "" ? [one] : [];
  const failurePolicy = settings.get("Signing__TimestampFailurePolicy");
  return {
    servers: [...new Set([...first, ...several])],
    ...(failurePolicy !== undefined && { failurePolicy }),
  };
}
