// The job that imports configured sources on a schedule.
export { createAdvisoryHealth } from "./import/advisory-health.ts";
export type { AdvisoryHealth } from "./import/advisory-health.ts";
export { refreshAdvisories, refreshJob } from "./import/refresh-advisories.ts";
export type { RefreshLog, RefreshOptions } from "./import/refresh-advisories.ts";
