import type { Command as Program } from "commander";
import type { Command, Json } from "../command.ts";
import type { EventListOptions } from "./event.ts";
import type { MailTestOptions } from "./mail.ts";
import type { AddOptions, DeliveryOptions } from "./webhook.ts";

type Ended = (code: number) => void;

/** Events on their way to consumers, webhooks and people. */
export function addEvents(program: Program, command: Command, ended: Ended): void {
  addParked(program, command, ended);
  const webhook = program.command("webhook").description("manage URLs that get events");
  addWebhooks(webhook, command, ended);
  addDeliveries(webhook, command, ended);
  addMail(program, command, ended);
}

function addParked(program: Program, command: Command, ended: Ended): void {
  const load = () => import("./event.ts");
  const event = program
    .command("event")
    .description("manage events that parts of the registry could not handle");
  event
    .command("list")
    .description("list events that could not be handled, the newest first")
    .option("--dead", "only those that are not tried again")
    .option("--limit <count>", "events at most, 1 to 1000", "100")
    .option("--json", "print JSON")
    .action(async (options: EventListOptions) => {
      ended(await (await load()).listEvents(command, options));
    });
  event
    .command("replay <id>")
    .description("handle an event again")
    .action(async (id: string) => ended(await (await load()).replayEvent(command, id)));
  event
    .command("remove <id>")
    .description("remove an event from the list")
    .action(async (id: string) => ended(await (await load()).removeEvent(command, id)));
}

function addWebhooks(webhook: Program, command: Command, ended: Ended): void {
  const load = () => import("./webhook.ts");
  webhook
    .command("add")
    .description("add a subscription; print its secret once if none is given")
    .requiredOption("--url <url>", "http or https URL that gets the events")
    .option("--secret-env <variable>", "environment variable with the secret")
    .option("--events <types...>", "event types: package.published, package.* (default: all)")
    .option("--format <format>", "CloudEvents or Legacy (default: CloudEvents)")
    .option("--include-private", "send events about private and internal names, too")
    .option("--allow-private-network", "the receiver is in a private network")
    .option("--json", "print JSON")
    .action(async (options: AddOptions) => {
      ended(await (await load()).addWebhookCommand(command, options));
    });
  webhook
    .command("list")
    .description("list subscriptions, without secrets")
    .option("--json", "print JSON")
    .action(async (options: Json) => ended(await (await load()).listWebhooks(command, options)));
  webhook
    .command("test <id>")
    .description("send a test event now, and print the answer")
    .option("--json", "print JSON")
    .action(async (id: string, options: Json) => {
      ended(await (await load()).testWebhookCommand(command, id, options));
    });
  webhook
    .command("rotate <id>")
    .description("replace the secret; the former one signs for 24 hours, too")
    .requiredOption("--secret-env <variable>", "environment variable with the new secret")
    .action(async (id: string, options: { readonly secretEnv: string }) => {
      ended(await (await load()).rotateWebhook(command, id, options));
    });
  webhook
    .command("include-private <id>")
    .description("send events about private and internal names, too")
    .option("--off", "send events about public names only")
    .action(async (id: string, options: { readonly off?: true }) => {
      ended(await (await load()).includePrivateNames(command, id, options));
    });
  webhook
    .command("allow-private-network <id>")
    .description("allow the receiver an address in a private network")
    .option("--off", "allow public addresses only")
    .action(async (id: string, options: { readonly off?: true }) => {
      ended(await (await load()).allowPrivateReceiver(command, id, options));
    });
  webhook
    .command("enable <id>")
    .description("send events to a subscription again")
    .action(async (id: string) => ended(await (await load()).switchWebhook(command, id, true)));
  webhook
    .command("disable <id>")
    .description("send no events to a subscription; those that wait stay")
    .action(async (id: string) => ended(await (await load()).switchWebhook(command, id, false)));
  webhook
    .command("remove <id>")
    .description("remove a subscription and its deliveries")
    .action(async (id: string) => ended(await (await load()).removeWebhookCommand(command, id)));
}

function addDeliveries(webhook: Program, command: Command, ended: Ended): void {
  const load = () => import("./webhook.ts");
  webhook
    .command("deliveries [id]")
    .description("list deliveries with their attempts, the newest first")
    .option("--dead", "only those that are not tried again")
    .option("--limit <count>", "deliveries at most, 1 to 1000", "50")
    .option("--json", "print JSON")
    .action(async (id: string | undefined, options: DeliveryOptions) => {
      ended(await (await load()).listDeliveries(command, id, options));
    });
  webhook
    .command("replay [delivery]")
    .description("send a delivery again, with the same id")
    .option("--dead-of <id>", "send all deliveries of a subscription again that failed for a day")
    .action(async (id: string | undefined, options: { readonly deadOf?: string }) => {
      ended(await (await load()).replayDeliveries(command, id, options));
    });
}

function addMail(program: Program, command: Command, ended: Ended): void {
  const load = () => import("./mail.ts");
  const mail = program.command("mail").description("check the mail of the registry");
  mail
    .command("test")
    .description("send a test mail now, and print the outcome")
    .option("--to <address>", "recipient (default: all of EmailSettings__Administrators)")
    .action(async (options: MailTestOptions) => {
      ended(await (await load()).testMail(command, options));
    });
  mail
    .command("list")
    .description("list mails, the newest first")
    .option("--limit <count>", "mails at most, 1 to 1000", "50")
    .option("--json", "print JSON")
    .action(async (options: Json & { readonly limit: string }) => {
      ended(await (await load()).listMails(command, options));
    });
}
