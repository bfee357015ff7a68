export { auditConsumer, auditRecords, drainAudit } from "./audit-log.ts";
export { auditRetentionJob } from "./audit-retention-job.ts";
export { nextAttempt } from "./backoff.ts";
export type { Retry } from "./backoff.ts";
export { openDelivery } from "./delivery.ts";
export type { Consumer, Delivery, DeliveryFailure, DeliveryOptions } from "./delivery.ts";
export { EVENT_TYPES, SYSTEM } from "./event.ts";
export type { EventType, NewEvent, RegistryEvent, ShownEvent } from "./event.ts";
export type { MailConfig, SmtpServer } from "./mail/mail-config.ts";
export { openMail } from "./mail/open-mail.ts";
export { mailConsumer } from "./mail/mail-consumer.ts";
export type { MailConsumerParts } from "./mail/mail-consumer.ts";
export { queueMail } from "./mail/queue-mail.ts";
export type { MailDraft, MailParts } from "./mail/queue-mail.ts";
export { mailJobs } from "./mail/mail-sender.ts";
export type { MailSenderParts } from "./mail/mail-sender.ts";
export { renderMail } from "./mail/mail-texts.ts";
export type { MailFacts } from "./mail/mail-texts.ts";
export { MAIL_TEMPLATES } from "./mail/mail.ts";
export type { Mail, MailLog, MailQueue, MailResult, MailTemplate, NewMail } from "./mail/mail.ts";
export { sendMail } from "./mail/send-mail.ts";
export type { Letter, MailSent } from "./mail/send-mail.ts";
export { targetExpiryJob } from "./mail/target-expiry-job.ts";
export type { MailReceivers } from "./mail/mail-receivers.ts";
export type { TokenMailParts } from "./mail/token-mails.ts";
export type { UserMailParts } from "./mail/user-mails.ts";
export { AUDIT_KEY } from "./ports.ts";
export type {
  AuditLog,
  AuditPage,
  AuditQuery,
  EventReader,
  NextAttempt,
  Outbox,
  ParkedEvent,
  ParkedEvents,
  ParkedList,
} from "./ports.ts";
export { openRefusalNotes, REFUSAL_QUIET_MS, refusalKey } from "./refusals/refusal-notes.ts";
export type { Refusal, RefusalLog, RefusalNotes } from "./refusals/refusal-notes.ts";
export { saltedDigest } from "./salted-digest.ts";
export type { SaltedDigest } from "./salted-digest.ts";
export { tokenNoticesJob } from "./token-notices.ts";
export type { ExpiringToken, TokenNotices } from "./token-notices.ts";
export { SecretInEventError, withoutSecrets } from "./secret-guard.ts";
export {
  bodyOf,
  cloudEvent,
  CONTENT_TYPES,
  eventIdOutside,
  eventSource,
} from "./webhooks/bodies.ts";
export type { EventSource } from "./webhooks/bodies.ts";
export { syncConfigured } from "./webhooks/configured-webhooks.ts";
export type { ConfiguredWebhook } from "./webhooks/configured-webhooks.ts";
export {
  addWebhook,
  allowPrivateNetwork,
  enableWebhook,
  findWebhook,
  includePrivate,
  removeWebhook,
  rotateSecret,
} from "./webhooks/manage-webhooks.ts";
export type { NewWebhook, WebhookAdded, WebhookStore } from "./webhooks/manage-webhooks.ts";
export type {
  DeliveryAttempt,
  DeliveryLog,
  DeliveryQueue,
  DeliveryResult,
  DeliveryState,
  NewDelivery,
  WebhookDelivery,
  WebhookRows,
} from "./webhooks/ports.ts";
export { postWebhook } from "./webhooks/post-webhook.ts";
export type { PostAnswer, PostOptions } from "./webhooks/post-webhook.ts";
export { openEventNumbers } from "./event-numbers.ts";
export type { EventNumbers } from "./event-numbers.ts";
export { namesIn } from "./event-names.ts";
export type { EventName } from "./event-names.ts";
export { messageHeaders } from "./webhooks/signature.ts";
export { testWebhook } from "./webhooks/test-webhook.ts";
export { createWebhookFetch } from "./webhooks/webhook-fetch.ts";
export type { WebhookFetch } from "./webhooks/webhook-fetch.ts";
export { openWebhooks } from "./webhooks/open-webhooks.ts";
export type { Webhooks } from "./webhooks/open-webhooks.ts";
export { webhookConsumer } from "./webhooks/webhook-consumer.ts";
export type { WebhookConsumerParts } from "./webhooks/webhook-consumer.ts";
export { webhookRetentionJob } from "./webhooks/webhook-retention-job.ts";
export { openWebhookSender } from "./webhooks/webhook-sender.ts";
export type { WebhookSender, WebhookSenderParts } from "./webhooks/webhook-sender.ts";
export { secretsOf } from "./webhooks/webhook-secrets.ts";
export type { SecretKeeper } from "./webhooks/webhook-secrets.ts";
export type { Webhook, WebhookFormat, WebhookRow } from "./webhooks/webhook.ts";
