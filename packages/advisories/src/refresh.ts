// The job that imports configured sources on a schedule.
export { refreshAdvisories, refreshJob } from "./import/refresh-advisories.ts";
export type { RefreshLog, RefreshOptions } from "./import/refresh-advisories.ts";
