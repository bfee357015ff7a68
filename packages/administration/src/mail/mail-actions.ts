import { randomUUID } from "node:crypto";
import { renderMail, sendMail } from "@sealhouse/events";
import type { Mail } from "@sealhouse/events";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { newestFields, newestPage, newestWithId, pageSchema } from "../paging.ts";
import { absent, conflict } from "../refusal.ts";

const MAIL = z
  .strictObject({
    id: z.string(),
    time: z.iso.datetime(),
    template: z.string(),
    recipient: z.string(),
    subject: z.string(),
    state: z
      .enum(["waiting", "sending", "sent", "failed", "unknown"])
      .describe("unknown: it may have arrived."),
    isOff: z.literal(true).optional().describe("It waits, and mail is off."),
    attempts: z.int(),
    nextAttempt: z.iso.datetime().optional(),
    error: z.string().optional(),
  })
  .meta({ id: "Mail", title: "A mail of the registry" });

/** A mail as the API and commands show it. */
export type ShownMail = z.output<typeof MAIL>;

const NO_PAGE = { none: "It concerns operators who set up mail, and has no page yet." };

const listMails = defineAction({
  id: "mail.list",
  summary: "list mails with their outcomes, the newest first",
  scope: "audit:read",
  method: "GET",
  path: "/mails",
  command: "mail list",
  form: NO_PAGE,
  input: z.strictObject(newestFields({ max: 1_000, fallback: 50, items: "mails" })),
  output: pageSchema(MAIL),
  refusals: [],
  async run({ input, parts }) {
    const { mails } = await parts.events();
    const isOn = parts.mail.config() !== undefined;
    const page = await newestPage(input, (from) => mails.list(from));
    return { ...page, items: page.items.map((mail) => shownMail(mail, isOn)) };
  },
});

const showMail = defineAction({
  id: "mail.show",
  summary: "show a mail with its outcome",
  scope: "audit:read",
  method: "GET",
  path: "/mails/{id}",
  command: "mail show <id>",
  form: NO_PAGE,
  input: z.strictObject({ id: field(z.string().max(20), "Mail", "The number of the mail.") }),
  output: MAIL,
  refusals: ["absent"],
  async run({ input: { id }, parts }) {
    const { mails } = await parts.events();
    const mail = await newestWithId(id, (from) => mails.list(from));
    if (!mail) throw absent(`There is no mail ${id}: sealhouse mail list`);
    return shownMail(mail, parts.mail.config() !== undefined);
  },
});

const SENT = z
  .strictObject({
    server: z.string(),
    mails: z.array(
      z.strictObject({
        recipient: z.string(),
        outcome: z.enum(["sent", "refused", "unknown"]).describe("unknown: it may have arrived."),
        error: z.string().optional(),
      }),
    ),
  })
  .meta({ id: "TestMails", title: "Test mails that were sent now" });

/** Test mails as the API and commands show them. */
export type ShownTestMails = z.output<typeof SENT>;

const testMail = defineAction({
  id: "mail.test",
  summary: "send a test mail now, and print the outcome",
  scope: "targets:write",
  method: "POST",
  path: "/mails/test",
  command: "mail test",
  form: NO_PAGE,
  input: z.strictObject({
    to: field(
      z.string().max(320).optional(),
      "Recipient",
      "The recipient (default: all of EmailSettings__Administrators).",
      { option: "--to <address>" },
    ),
  }),
  output: SENT,
  refusals: ["conflict"],
  lasting: "change-webhooks",
  async run({ input: { to }, parts }) {
    const mail = parts.mail.config();
    if (!mail) throw conflict("There is no mail: EmailSettings__Provider is None. See mail.md.");
    const recipients = to === undefined ? mail.administrators : [to];
    if (recipients.length === 0) {
      throw conflict("There are no recipients: set EmailSettings__Administrators__0, or use --to.");
    }
    const text = renderMail("test", { serverName: parts.mail.serverName(), facts: {} });
    const mails: ShownTestMails["mails"] = [];
    for (const recipient of recipients) {
      const sent = await sendMail(mail, { recipient, ...text, id: randomUUID() });
      const { outcome } = sent;
      mails.push({ recipient, outcome, ...("error" in sent && { error: sent.error }) });
    }
    return { server: mail.server.host, mails };
  },
});

/** Mail of the registry. */
export const MAIL_ACTIONS = [listMails, showMail, testMail];

function shownMail(mail: Mail, isOn: boolean): ShownMail {
  const { id, template, recipient, subject, state, attempts, nextAt, error, createdAt } = mail;
  return {
    id,
    time: createdAt.toISOString(),
    template,
    recipient,
    subject,
    state,
    ...(!isOn && state === "waiting" && { isOff: true }),
    attempts,
    ...(nextAt && { nextAttempt: nextAt.toISOString() }),
    ...(error !== undefined && { error }),
  };
}
