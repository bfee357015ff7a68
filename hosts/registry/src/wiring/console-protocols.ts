import type { Site } from "@sealhouse/console";
import type { Config } from "../settings/config.ts";

/** The protocols that are on, as pages name them. */
export function protocolsOf({ feed }: Pick<Config, "feed">): Site["protocols"] {
  const { npm, oci } = feed;
  return [
    "nuget",
    ...(npm.enabled ? (["npm"] as const) : []),
    ...(oci.enabled ? (["oci"] as const) : []),
  ];
}
