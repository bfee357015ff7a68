export { CHECK_SETTINGS } from "./check-table.ts";
export { parseCheck } from "./parse-check.ts";
export type { CheckConfig } from "./parse-check.ts";
export { parseStorage } from "./parse-storage.ts";
export type { StorageConfig } from "./parse-storage.ts";
export { STORAGE_SETTINGS } from "./table.ts";
