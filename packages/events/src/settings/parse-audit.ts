import type { Settings } from "@sealhouse/settings";
import { EVENT_SETTINGS } from "./table.ts";

export type AuditConfig = {
  /** Milliseconds for which audit records are kept; undefined for no limit. */
  readonly auditRetentionMs: number | undefined;
};

export function parseAudit(settings: Settings): AuditConfig {
  return { auditRetentionMs: settings.of(EVENT_SETTINGS).get("Host__Audit__Retention") };
}
