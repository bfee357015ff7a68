import type { ShownMail, ShownParked, ShownTestMails } from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";

type Id = { readonly id: string };
type List<Item> = { readonly items: readonly Item[] };

/** Prints events that could not be handled. */
export const EVENT_PRINTS = {
  "events.list": printOf<List<ShownParked>>({
    text({ items }, { stdout, stderr }) {
      for (const event of items) stdout(lineOfEvent(event));
      if (items.length === 0) stderr("All events were handled.");
    },
  }),
  "events.replay": printOf<Id>({
    text: ({ id }, { stderr }) =>
      stderr(`Event ${id} waits for its next attempt. Hosts make it within seconds.`),
  }),
  "events.remove": printOf<Id>({
    text: ({ id }, { stderr }) =>
      stderr(`Removed event ${id} from the list. It stays in the audit log.`),
  }),
};

function lineOfEvent(parked: ShownParked): string {
  const { id, consumer, type, subject, status, nextAttempt, error } = parked;
  const next = nextAttempt === undefined ? [] : [`next attempt ${nextAttempt}`];
  return [id, consumer, type, subject, status, ...next, error].join("  ");
}

/** Prints mails. */
export const MAIL_PRINTS = {
  "mail.list": printOf<List<ShownMail>>({
    text({ items }, { stdout, stderr }) {
      for (const mail of items) stdout(lineOfMail(mail));
      if (items.length === 0) stderr("There are no mails.");
    },
  }),
  "mail.test": printOf<ShownTestMails>({
    text({ server, mails }, { stderr }) {
      for (const { recipient, outcome, error } of mails) {
        stderr(
          outcome === "sent"
            ? `Sent to ${recipient} by ${server}.`
            : `${recipient}: ${outcome}: ${error ?? ""}`,
        );
      }
    },
    code: ({ mails }) => (mails.every(({ outcome }) => outcome === "sent") ? 0 : 1),
  }),
};

function lineOfMail({ id, time, template, recipient, state, isOff, error }: ShownMail): string {
  const word = isOff ? "not sent: mail is off" : state;
  return [id, time, template, recipient, word, ...(error === undefined ? [] : [error])].join("  ");
}
