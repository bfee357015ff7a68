import type {
  AuditLog,
  DeliveryLog,
  EventSource,
  MailConfig,
  MailLog,
  Outbox,
  ParkedEvents,
  ParkedList,
  SecretKeeper,
  WebhookFetch,
  WebhookRows,
} from "@sealhouse/events";

/** Events, and what becomes of them. */
export type EventParts = {
  /** Rows of events. A command opens them without storage and keys, which may be away. */
  events(): Promise<EventRows>;
  /** The sending of events to webhooks. */
  readonly webhooks: WebhookParts;
  readonly mail: {
    /** The settings of mail. Undefined: mail is off. */
    config(): MailConfig | undefined;
    /** The name of the registry in mails. */
    serverName(): string;
  };
};

export type EventRows = {
  readonly outbox: Outbox;
  readonly audit: AuditLog;
  readonly parked: Pick<ParkedEvents, "remove"> & Pick<ParkedList, "list" | "replay">;
  readonly webhooks: WebhookRows;
  readonly deliveries: Omit<DeliveryLog, "count">;
  readonly mails: Pick<MailLog, "list">;
};

export type WebhookParts = {
  /** Whether all webhooks may have receivers in private networks. */
  allowsPrivateAddresses(): boolean;
  /** Encrypts the secrets of webhooks. */
  keyRing(): Promise<SecretKeeper>;
  /** Sends to their receivers. */
  sending(): Promise<{
    readonly fetch: WebhookFetch;
    readonly userAgent: string;
    readonly source: EventSource;
  }>;
};
