export { isSourceName, parseAdvisorySources } from "./parse-sources.ts";
export type { AdvisorySourcesConfig } from "./parse-sources.ts";
export { ADVISORY_SETTINGS } from "./table.ts";
