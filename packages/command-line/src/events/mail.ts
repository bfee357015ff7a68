import { openDatabase } from "@sealhouse/database";
import { renderMail, sendMail } from "@sealhouse/events";
import type { Mail } from "@sealhouse/events";
import { randomUUID } from "node:crypto";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { limitIn } from "../limit.ts";

export type MailTestOptions = { readonly to?: string };

/** Sends a test mail to each recipient. Ends with 1 when one did not arrive for sure. */
export async function testMail(command: Command, { to }: MailTestOptions): Promise<number> {
  const { mail, host } = command.load().config;
  if (!mail) {
    throw new CommandError("There is no mail: EmailSettings__Provider is None. See mail.md.");
  }
  const recipients = to === undefined ? mail.administrators : [to];
  if (recipients.length === 0) {
    throw new CommandError(
      "There are no recipients: set EmailSettings__Administrators__0, or use --to.",
    );
  }
  const text = renderMail("test", { serverName: host.serverName, facts: {} });
  let isSent = true;
  for (const recipient of recipients) {
    const sent = await sendMail(mail, { recipient, ...text, id: randomUUID() });
    if (sent.outcome === "sent") command.stderr(`Sent to ${recipient} by ${mail.server.host}.`);
    else command.stderr(`${recipient}: ${sent.outcome}: ${sent.error}`);
    isSent &&= sent.outcome === "sent";
  }
  return isSent ? 0 : 1;
}

export async function listMails(
  command: Command,
  options: Json & { readonly limit: string },
): Promise<number> {
  const limit = limitIn(options.limit);
  const { config } = command.load();
  await using database = await openDatabase(config.database, { migrate: config.migrateAtStart });
  const mails = await database.events.mails.list({ limit });
  if (options.json) command.stdout(JSON.stringify(mails.map(shown), undefined, 2));
  else for (const mail of mails) command.stdout(lineOf(mail, config.mail !== undefined));
  if (!options.json && mails.length === 0) command.stderr("There are no mails.");
  return 0;
}

function shown(mail: Mail) {
  const { id, template, recipient, subject, state, attempts, nextAt, error, createdAt } = mail;
  return {
    id,
    time: createdAt.toISOString(),
    template,
    recipient,
    subject,
    state,
    attempts,
    ...(nextAt && { nextAttempt: nextAt.toISOString() }),
    ...(error !== undefined && { error }),
  };
}

function lineOf(mail: Mail, isMailOn: boolean): string {
  const { id, time, template, recipient, state, error } = shown(mail);
  const word = !isMailOn && state === "waiting" ? "not sent: mail is off" : state;
  return [id, time, template, recipient, word, ...(error === undefined ? [] : [error])].join("  ");
}
