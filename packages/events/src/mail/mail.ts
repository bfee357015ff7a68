/** The texts that are mailed. */
export const MAIL_TEMPLATES = [
  "first-token",
  "token-expires",
  "token-expired",
  "token-leaked",
  "admin-token",
  "passkey-changed",
  "role-changed",
  "owners-changed",
  "transfer-offered",
  "pipeline-changed",
  "name-public",
  "damage-found",
  "release-ended",
  "promotion-failed",
  "target-token-expires",
  "target-paused",
  "test",
] as const;

/** The kind of a mail. */
export type MailTemplate = (typeof MAIL_TEMPLATES)[number];

/** A mail to one recipient. */
export type NewMail = {
  /** Its cause and recipient. A second mail with the same key is not sent. */
  readonly key: string;
  readonly template: MailTemplate;
  readonly recipient: string;
  readonly subject: string;
  /** Plain text. */
  readonly body: string;
};

/**
 * `unknown`: the server took the mail and did not answer, or the process was killed before it did.
 * It is not sent again, because it may have arrived.
 */
export type MailState = "waiting" | "sending" | "sent" | "failed" | "unknown";

/** A stored mail. */
export type Mail = Omit<NewMail, "key"> & {
  readonly id: string;
  /** Hash of the key, hex. */
  readonly keyHash: string;
  readonly state: MailState;
  readonly attempts: number;
  readonly nextAt?: Date;
  readonly error?: string;
  readonly createdAt: Date;
  readonly doneAt?: Date;
};

/** The end of an attempt. */
export type MailResult = {
  readonly state: Exclude<MailState, "sending">;
  /** Only for `waiting`. */
  readonly nextAt?: Date | undefined;
  readonly error?: string | undefined;
};

/** Mails that wait. */
export interface MailQueue {
  /** Adds mails; leaves out those with a known key. */
  add(mails: readonly NewMail[]): Promise<void>;
  due(now: Date, limit: number): Promise<readonly Mail[]>;
  /** Makes a waiting mail a `sending` one. False when another instance was faster. */
  claim(id: string): Promise<boolean>;
  settle(id: string, result: MailResult): Promise<void>;
  /** Makes mails `unknown` that a killed process has claimed before `before`. */
  giveUp(before: Date): Promise<number>;
  /** Deletes a limited number of ended mails from before `before`. Resolves to their number. */
  trim(before: Date): Promise<number>;
}

/** Mails, for people. */
export interface MailLog {
  /** Newest first; `before`: those with a lower id. */
  list(filter: { readonly before?: string; readonly limit: number }): Promise<readonly Mail[]>;
  /** Numbers of mails that wait, and of those since `since` that did not arrive for sure. */
  count(since: Date): Promise<{ readonly waiting: number; readonly failed: number }>;
}
