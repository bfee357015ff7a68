import type { Job } from "@sealhouse/jobs";
import type { Consumer } from "../delivery.ts";
import { mailConsumer } from "./mail-consumer.ts";
import type { MailConsumerParts } from "./mail-consumer.ts";
import type { MailConfig } from "./mail-config.ts";
import { mailJobs } from "./mail-sender.ts";
import type { MailQueue } from "./mail.ts";
import { sendMail } from "./send-mail.ts";
import { targetExpiryJob } from "./target-expiry-job.ts";
import type { ExpiringTarget } from "./target-expiry-job.ts";

type OpenMailParts = Omit<MailConsumerParts, "queue" | "administrators" | "isFirstToken"> & {
  /** Undefined: no mail is queued. */
  readonly mail: MailConfig | undefined;
  readonly queue: MailQueue;
  readonly tokens: {
    list(): Promise<readonly { readonly id: string }[]>;
    listNamed(owner: string): Promise<readonly { readonly id: string }[]>;
  };
  readonly targets: { list(): Promise<readonly ExpiringTarget[]> };
  readonly log: { warn(fields: object, message: string): void };
  readonly now: () => Date;
};

/** Opens the mail of a registry: a consumer that queues it, and the jobs that send it. */
export function openMail({ mail, tokens, targets, log, ...parts }: OpenMailParts): {
  readonly consumer: Consumer;
  readonly jobs: readonly Job[];
} {
  const messages = { ...parts, administrators: mail?.administrators ?? [] };
  const consumer = mailConsumer({
    ...messages,
    async isFirstToken({ id, owner }) {
      const all = owner === undefined ? await tokens.list() : await tokens.listNamed(owner);
      return all[0]?.id === id;
    },
  });
  if (!mail) return { consumer, jobs: [] };
  const sending = mailJobs({
    ...parts,
    send: (letter) => sendMail(mail, letter),
    onFailure: ({ error, ...failure }) =>
      log.warn({ ...failure, reason: error }, "a mail could not be sent"),
  });
  return { consumer, jobs: [...sending, targetExpiryJob({ ...messages, targets })] };
}
