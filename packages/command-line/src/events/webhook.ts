import { randomBytes, randomUUID } from "node:crypto";
import {
  addWebhook,
  allowPrivateNetwork,
  createWebhookFetch,
  enableWebhook,
  eventSource,
  findWebhook,
  includePrivate,
  removeWebhook,
  rotateSecret,
  secretsOf,
  testWebhook,
} from "@sealhouse/events";
import type { WebhookFormat, WebhookRow, WebhookRows } from "@sealhouse/events";
import { checkAddress } from "@sealhouse/http-responses/outgoing";
import { createOutgoingFetch } from "@sealhouse/http-server";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { clockOf, openFeed } from "../open-feed.ts";
import { operator } from "../operator.ts";
import type { RegistryResources } from "../ports.ts";
import { lineOfDelivery, lineOfWebhook, shownDelivery, shownWebhook } from "./webhook-output.ts";
import { limitIn } from "../limit.ts";

const ALLOW_ALL = "Host__Webhooks__AllowPrivateAddresses=true";

export type AddOptions = Json & {
  readonly url: string;
  readonly secretEnv?: string;
  readonly events?: readonly string[];
  readonly format?: string;
  readonly includePrivate?: true;
  readonly allowPrivateNetwork?: true;
};

export type DeliveryOptions = Json & { readonly dead?: true; readonly limit: string };

export async function addWebhookCommand(command: Command, options: AddOptions): Promise<number> {
  const secret = options.secretEnv === undefined ? undefined : secretIn(command, options.secretEnv);
  const events = (options.events ?? []).flatMap((text) => text.split(",")).filter(Boolean);
  const format = formatIn(options.format);
  const allowsPrivateNetwork = options.allowPrivateNetwork ?? false;
  const warning = await requireReceiver(command, { url: options.url, allowsPrivateNetwork });
  await using resources = await openFeed(command);
  const includesPrivate = options.includePrivate ?? false;
  const switches = { includesPrivate, allowsPrivateNetwork };
  const webhook = { url: options.url, events, format, ...switches, secret };
  const added = await addWebhook(storeOf(command, resources), webhook, operator());
  if (added.status === "refused") throw new CommandError(added.problem);
  if (warning !== undefined) command.stderr(warning);
  const { id, newSecret } = added;
  if (options.json) {
    const shown = { id, ...(newSecret !== undefined && { secret: newSecret }) };
    command.stdout(JSON.stringify(shown, undefined, 2));
    return 0;
  }
  command.stdout(id);
  if (newSecret !== undefined) {
    command.stderr("Copy the secret now; it is not shown again:");
    command.stderr(newSecret);
  }
  command.stderr(`Hosts send events from now on. To test it: sealhouse webhook test ${id}`);
  return 0;
}

type Receiver = Pick<WebhookRow, "url" | "allowsPrivateNetwork">;

/**
 * Returns a warning when the receiver has no address.
 * @throws {CommandError} when deliveries must not call it
 */
async function requireReceiver(command: Command, receiver: Receiver): Promise<string | undefined> {
  const { warning, refusal } = await lookUpReceiver(command, receiver);
  if (refusal === undefined) return warning;
  throw new CommandError(`--url must not be called: ${refusal("--allow-private-network")}`);
}

/**
 * `refusal`: deliveries must not call the receiver; it takes the words that allow a private
 * address. `warning`: the receiver has no address.
 */
async function lookUpReceiver(
  command: Command,
  { url: text, allowsPrivateNetwork }: Receiver,
): Promise<{ readonly warning?: string; readonly refusal?: (option: string) => string }> {
  const url = URL.parse(text);
  if (!url) return {};
  const { allowPrivateAddresses } = command.load().config.webhooks;
  const allowPrivate = allowPrivateAddresses || allowsPrivateNetwork;
  const checked = await checkAddress(url, { allowPrivate }, command.stop);
  if (checked.status === "reachable") return {};
  if (checked.status === "unreachable") {
    return { warning: `The receiver has no address: ${checked.reason}.` };
  }
  const { reason, isPrivate } = checked;
  const advice = (option: string) =>
    isPrivate ? ` To allow it: ${option}, or ${ALLOW_ALL} for all webhooks` : "";
  return { refusal: (option) => `${reason}.${advice(option)}` };
}

export async function listWebhooks(command: Command, { json }: Json): Promise<number> {
  await using resources = await openFeed(command);
  const rows = await resources.database.events.webhooks.list();
  if (json) command.stdout(JSON.stringify(rows.map(shownWebhook), undefined, 2));
  else for (const row of rows) command.stdout(lineOfWebhook(row));
  if (!json && rows.length === 0) command.stderr("There are no webhooks: sealhouse webhook add");
  return 0;
}

/** Ends with 1 when the receiver does not take the event. */
export async function testWebhookCommand(
  command: Command,
  id: string,
  { json }: Json,
): Promise<number> {
  const { config } = command.load();
  await using resources = await openFeed(command);
  const { database, keyRing, registryId } = resources;
  const now = clockOf(command);
  const row = await rowOf(database.events.webhooks, id);
  const secrets = await secretsOf(row, keyRing, now()).catch(() => {
    throw new CommandError(
      "The key ring cannot decrypt the secret. Restore its keys, or set a new secret: " +
        `sealhouse webhook rotate ${row.id} --secret-env NAME`,
    );
  });
  const answer = await testWebhook(row, {
    fetch: createWebhookFetch(createOutgoingFetch, config.webhooks)(row),
    userAgent: "sealhouse",
    now,
    signal: command.stop,
    secrets,
    source: eventSource(registryId, config.feed.publicBaseUrls),
    id: randomUUID(),
    caller: operator(),
  });
  if (json) command.stdout(JSON.stringify(answer, undefined, 2));
  else {
    const status = answer.status === undefined ? [] : [`status ${answer.status}`];
    const error = answer.outcome === "failed" ? [answer.error] : [];
    command.stdout([answer.outcome, ...status, `${answer.durationMs} ms`, ...error].join("  "));
  }
  return answer.outcome === "delivered" ? 0 : 1;
}

export async function rotateWebhook(
  command: Command,
  id: string,
  options: { readonly secretEnv: string },
): Promise<number> {
  const secret = secretIn(command, options.secretEnv);
  await using resources = await openFeed(command);
  const change = { secret, caller: operator() };
  const status = await rotateSecret(storeOf(command, resources), id, change);
  refuse(status, id);
  command.stderr(`Replaced the secret of ${id}. The former one signs for 24 hours, too.`);
  return 0;
}

/** Decides whether a subscription gets events about names that are not public. */
export async function includePrivateNames(
  command: Command,
  id: string,
  { off }: { readonly off?: true },
): Promise<number> {
  await using resources = await openFeed(command);
  const includesPrivate = !off;
  const change = { includesPrivate, caller: operator() };
  refuse(await includePrivate(storeOf(command, resources), id, change), id);
  const names = includesPrivate ? "all names" : "public names only";
  command.stderr(`${id} gets events about ${names} from now on.`);
  return 0;
}

/** Decides whether the receiver of a subscription may be in a private network. */
export async function allowPrivateReceiver(
  command: Command,
  id: string,
  { off }: { readonly off?: true },
): Promise<number> {
  await using resources = await openFeed(command);
  const { webhooks } = resources.database.events;
  const allowsPrivateNetwork = !off;
  const { url } = await rowOf(webhooks, id);
  const { refusal } = await lookUpReceiver(command, { url, allowsPrivateNetwork });
  // Without the permission, the receiver may be refused: that is the purpose of --off.
  if (refusal !== undefined && !off)
    throw new CommandError(`The receiver: ${refusal(allowing(id))}`);
  const change = { allowsPrivateNetwork, caller: operator() };
  refuse(await allowPrivateNetwork(storeOf(command, resources), id, change), id);
  const networks = allowsPrivateNetwork ? "may be" : "must not be";
  command.stderr(`The receiver of ${id} ${networks} in a private network from now on.`);
  if (refusal) command.stderr(`Deliveries to it fail: ${refusal(allowing(id))}`);
  return 0;
}

/** The command that allows a stored webhook a private address. */
function allowing(id: string): string {
  return `sealhouse webhook allow-private-network ${id}`;
}

export async function switchWebhook(
  command: Command,
  id: string,
  isEnabled: boolean,
): Promise<number> {
  await using resources = await openFeed(command);
  const row = await rowOf(resources.database.events.webhooks, id);
  const { refusal } = isEnabled ? await lookUpReceiver(command, row) : {};
  const change = { isEnabled, caller: operator() };
  refuse(await enableWebhook(storeOf(command, resources), id, change), id);
  command.stderr(`${id} is ${isEnabled ? "enabled" : "disabled"}. Hosts follow within seconds.`);
  if (refusal) command.stderr(`Deliveries to it fail: ${refusal(allowing(id))}`);
  return 0;
}

export async function removeWebhookCommand(command: Command, id: string): Promise<number> {
  await using resources = await openFeed(command);
  refuse(await removeWebhook(storeOf(command, resources), id, operator()), id);
  command.stderr(`Removed ${id} and its deliveries.`);
  return 0;
}

export async function listDeliveries(
  command: Command,
  id: string | undefined,
  options: DeliveryOptions,
): Promise<number> {
  const limit = limitIn(options.limit);
  await using resources = await openFeed(command);
  const { webhooks, deliveries } = resources.database.events;
  const webhookId = id === undefined ? undefined : (await rowOf(webhooks, id)).id;
  const found = await deliveries.list({
    ...(webhookId !== undefined && { webhookId }),
    ...(options.dead && { state: "dead" }),
    limit,
  });
  if (options.json) command.stdout(JSON.stringify(found.map(shownDelivery), undefined, 2));
  else for (const delivery of found) command.stdout(lineOfDelivery(delivery));
  if (!options.json && found.length === 0) command.stderr("There are no such deliveries.");
  return 0;
}

export async function replayDeliveries(
  command: Command,
  id: string | undefined,
  { deadOf }: { readonly deadOf?: string },
): Promise<number> {
  if ((id === undefined) === (deadOf === undefined)) {
    throw new CommandError("Name one delivery, or a subscription with --dead-of.");
  }
  await using resources = await openFeed(command);
  const { webhooks, deliveries } = resources.database.events;
  if (deadOf !== undefined) {
    const count = await deliveries.replayDead((await rowOf(webhooks, deadOf)).id);
    command.stderr(`${count} deliveries are sent again.`);
    return 0;
  }
  if ((await deliveries.replay(id ?? "")) === "absent") {
    throw new CommandError(`There is no delivery ${id}: sealhouse webhook deliveries`);
  }
  command.stderr(`Delivery ${id} is sent again.`);
  return 0;
}

function storeOf(command: Command, { database, keyRing }: RegistryResources) {
  return {
    rows: database.events.webhooks,
    keyRing,
    now: clockOf(command),
    randomBytes,
    randomUuid: randomUUID,
  };
}

async function rowOf(rows: WebhookRows, id: string): Promise<WebhookRow> {
  const row = await findWebhook(rows, id);
  if (row) return row;
  throw new CommandError(unknown(id));
}

function refuse(status: "absent" | "configured" | "changed" | "removed", id: string): void {
  if (status === "absent") throw new CommandError(unknown(id));
  if (status === "configured") {
    throw new CommandError(`${id} is a webhook of the settings: change it there.`);
  }
}

function unknown(id: string): string {
  return `There is no webhook ${id}, or several begin so: sealhouse webhook list`;
}

/** Other users can read a secret on the command line, so the option names a variable. */
function secretIn({ env }: Command, variable: string): string {
  const secret = env[variable];
  if (secret !== undefined && secret !== "") return secret;
  throw new CommandError(`--secret-env: the environment variable ${variable} is not set.`);
}

const FORMATS = ["CloudEvents", "Legacy"] as const satisfies readonly WebhookFormat[];

function formatIn(text = "CloudEvents"): WebhookFormat {
  const format = FORMATS.find((one) => one.toLowerCase() === text.toLowerCase());
  if (format) return format;
  throw new CommandError(`--format: "${text}" is not allowed. Use ${FORMATS.join(", ")}.`);
}
