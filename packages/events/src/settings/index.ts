export { MAIL_SETTINGS } from "./mail-table.ts";
export { parseAudit } from "./parse-audit.ts";
export type { AuditConfig } from "./parse-audit.ts";
export { parseMail } from "./parse-mail.ts";
export { parseWebhooks } from "./parse-webhooks.ts";
export type { WebhookConfig } from "./parse-webhooks.ts";
export { EVENT_SETTINGS } from "./table.ts";
export { WEBHOOK_SETTINGS } from "./webhook-table.ts";
