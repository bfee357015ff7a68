import type { TimestampConfig } from "../feed/feed-options.ts";
import type { SigningSettings } from "./table.ts";

/** The default server is not asked where an operator has named others. */
export function parseTimestamps(settings: SigningSettings): TimestampConfig {
  const several = settings.get("Signing__TimestampServerUrls");
  const isNamed = settings.textOf("Signing__TimestampServerUrl") !== undefined;
  const url = settings.get("Signing__TimestampServerUrl");
  const first = (isNamed || several.length === 0) && url !== "" ? [url] : [];
  const failurePolicy = settings.get("Signing__TimestampFailurePolicy");
  return {
    servers: [...new Set([...first, ...several])],
    ...(failurePolicy !== undefined && { failurePolicy }),
  };
}
