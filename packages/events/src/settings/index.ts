export { parseAudit } from "./parse-audit.ts";
export type { AuditConfig } from "./parse-audit.ts";
export { EVENT_SETTINGS } from "./table.ts";
