export { parseNuGet } from "./parse-nuget.ts";
export type { NuGetConfig } from "./parse-nuget.ts";
export { hasRule, parseRetention } from "./parse-retention.ts";
export type { RetentionConfig } from "./parse-retention.ts";
export { RETENTION_SETTINGS } from "./retention-table.ts";
export { NUGET_SETTINGS } from "./table.ts";
