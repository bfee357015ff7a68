import { randomBytes, randomUUID } from "node:crypto";
import {
  addWebhook,
  allowPrivateNetwork,
  enableWebhook,
  findWebhook,
  includePrivate,
  removeWebhook,
  rotateSecret,
  secretsOf,
  testWebhook,
} from "@sealhouse/events";
import type { WebhookFormat, WebhookRow, WebhookRows } from "@sealhouse/events";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { absent, conflict, invalidField, RefusedActionError } from "../refusal.ts";
import { allowing, checkReceiver, failingWords } from "./receiver.ts";
import { shownWebhook, WEBHOOK } from "./shown-webhook.ts";

const ID = field(z.string().max(64), "Webhook", "The id of the webhook, or how it begins.");
const FORMATS = ["CloudEvents", "Legacy"] as const satisfies readonly WebhookFormat[];
const SECRET = z.string().max(1_000);
const NO_PAGE = { none: "It needs the URL and the secret of a receiver, and has no page yet." };
const WARNED = z.strictObject({ id: z.string(), warning: z.string().optional() });

/** The output of a change of a webhook: its id, and the reason why deliveries fail. */
export type WarnedWebhook = z.output<typeof WARNED>;

/** A webhook sends the contents of events to another server, as a target gets packages. */
const SCOPE = "targets:write";

const ADDED = WARNED.extend({ secret: z.string().optional().describe("Shown once.") });

/** A new webhook; its secret is shown once, when the registry made it. */
export type AddedWebhook = z.output<typeof ADDED>;

const addWebhookAction = defineAction({
  id: "webhooks.add",
  summary: "add a subscription; print its secret once if none is given",
  scope: SCOPE,
  method: "POST",
  path: "/webhooks",
  command: "webhook add",
  form: NO_PAGE,
  input: z.strictObject({
    url: field(z.string().max(2_000), "URL", "The http or https URL that gets the events.", {
      option: "--url <url>",
    }),
    secret: field(SECRET.optional(), "Secret", "The environment variable with the secret.", {
      option: "--secret-env <variable>",
      isSecret: true,
    }),
    events: field(
      z.array(z.string().max(1_000)).max(200).default([]),
      "Events",
      "Event types: package.published, package.*. Default: all.",
      { option: "--events <types...>" },
    ),
    format: field(z.enum(FORMATS).default("CloudEvents"), "Format", "CloudEvents or Legacy.", {
      option: "--format <format>",
    }),
    includePrivate: field(
      z.boolean().default(false),
      "Private names",
      "Send events about private and internal names, too.",
    ),
    allowPrivateNetwork: field(
      z.boolean().default(false),
      "Private network",
      "The receiver is in a private network.",
    ),
  }),
  output: ADDED,
  refusals: [],
  lasting: "change-webhooks",
  needsAdmin: (input) => input.includePrivate || input.allowPrivateNetwork,
  async run(asked) {
    const { input, parts, caller, now } = asked;
    const events = input.events.flatMap((text) => text.split(",")).filter(Boolean);
    const { url, secret, format, includePrivate: includesPrivate } = input;
    const { allowPrivateNetwork: allowsPrivateNetwork } = input;
    const { refusal, warning } = await checkReceiver(asked, { url, allowsPrivateNetwork });
    if (refusal) {
      throw invalidField("url", `must not be called: ${refusal("--allow-private-network")}`);
    }
    const keyRing = await parts.webhooks.keyRing();
    const { webhooks: rows } = await parts.events();
    const store = { rows, keyRing, now: () => now, randomBytes, randomUuid: randomUUID };
    const webhook = { url, events, format, includesPrivate, allowsPrivateNetwork, secret };
    const added = await addWebhook(store, webhook, caller);
    if (added.status === "refused") throw new RefusedActionError("invalid", added.problem);
    const { id, newSecret } = added;
    return {
      id,
      ...(newSecret !== undefined && { secret: newSecret }),
      ...(warning !== undefined && { warning }),
    };
  },
});

const listWebhooks = defineAction({
  id: "webhooks.list",
  summary: "list subscriptions, without secrets",
  scope: SCOPE,
  method: "GET",
  path: "/webhooks",
  command: "webhook list",
  form: NO_PAGE,
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(WEBHOOK),
  refusals: [],
  async run({ input, parts }) {
    const rows = (await (await parts.events()).webhooks.list()).map(shownWebhook);
    return pageOf(rows, input, ({ createdAt, id }) => `${createdAt} ${id}`);
  },
});

const showWebhook = defineAction({
  id: "webhooks.show",
  summary: "show a subscription, without secrets",
  scope: SCOPE,
  method: "GET",
  path: "/webhooks/{id}",
  command: "webhook show <id>",
  form: NO_PAGE,
  input: z.strictObject({ id: ID }),
  output: WEBHOOK,
  refusals: ["absent"],
  async run({ input: { id }, parts }) {
    return shownWebhook(await rowOf((await parts.events()).webhooks, id));
  },
});

const TESTED = z
  .strictObject({
    outcome: z.enum(["delivered", "gone", "failed"]),
    status: z.int().optional(),
    error: z.string().optional(),
    retryAfterMs: z.number().optional(),
    durationMs: z.number(),
  })
  .meta({ id: "WebhookTest", title: "The answer of a receiver" });

/** The answer of a receiver to a test event. */
export type ShownTest = z.output<typeof TESTED>;

const testWebhookAction = defineAction({
  id: "webhooks.test",
  summary: "send a test event now, and print the answer",
  scope: SCOPE,
  method: "POST",
  path: "/webhooks/{id}/test",
  command: "webhook test <id>",
  form: NO_PAGE,
  input: z.strictObject({ id: ID }),
  output: TESTED,
  refusals: ["absent", "conflict"],
  lasting: "change-webhooks",
  async run({ input, parts, caller, now, signal }) {
    const keyRing = await parts.webhooks.keyRing();
    const row = await rowOf((await parts.events()).webhooks, input.id);
    const secrets = await secretsOf(row, keyRing, now).catch(() => {
      throw conflict(
        "The key ring cannot decrypt the secret. Restore its keys, or set a new secret: " +
          `sealhouse webhook rotate ${row.id} --secret-env NAME`,
      );
    });
    const { fetch, userAgent, source } = await parts.webhooks.sending();
    const message = { secrets, source, id: randomUUID(), caller };
    return testWebhook(row, {
      fetch: fetch(row),
      userAgent,
      now: () => new Date(),
      signal,
      ...message,
    });
  },
});

const rotateWebhook = defineAction({
  id: "webhooks.rotate",
  summary: "replace the secret; the former one signs for 24 hours, too",
  scope: SCOPE,
  method: "POST",
  path: "/webhooks/{id}/rotate",
  command: "webhook rotate <id>",
  form: NO_PAGE,
  input: z.strictObject({
    id: ID,
    secret: field(SECRET.min(1), "New secret", "The environment variable with the new secret.", {
      option: "--secret-env <variable>",
      isSecret: true,
    }),
  }),
  output: z.strictObject({ id: z.string() }),
  refusals: ["absent", "conflict"],
  lasting: "change-webhooks",
  changes: "webhooks.show",
  async run({ input: { id, secret }, parts, caller, now }) {
    const keyRing = await parts.webhooks.keyRing();
    const { webhooks: rows } = await parts.events();
    refuse(await rotateSecret({ rows, keyRing, now: () => now }, id, { secret, caller }), id);
    return { id };
  },
});

const includePrivateNames = defineAction({
  id: "webhooks.include-private",
  summary: "send events about private and internal names, too",
  scope: SCOPE,
  method: "PUT",
  path: "/webhooks/{id}/include-private",
  command: "webhook include-private <id>",
  form: NO_PAGE,
  input: z.strictObject({
    id: ID,
    off: field(z.boolean().default(false), "Off", "Send events about public names only."),
  }),
  output: z.strictObject({ id: z.string() }),
  refusals: ["absent", "conflict"],
  lasting: "change-webhooks",
  changes: "webhooks.show",
  needsAdmin: ({ off }) => !off,
  async run({ input: { id, off }, parts, caller }) {
    const { webhooks: rows } = await parts.events();
    refuse(await includePrivate({ rows }, id, { includesPrivate: !off, caller }), id);
    return { id };
  },
});

const allowPrivateReceiver = defineAction({
  id: "webhooks.allow-private-network",
  summary: "allow the receiver an address in a private network",
  scope: SCOPE,
  method: "PUT",
  path: "/webhooks/{id}/allow-private-network",
  command: "webhook allow-private-network <id>",
  form: NO_PAGE,
  input: z.strictObject({
    id: ID,
    off: field(z.boolean().default(false), "Off", "Allow public addresses only."),
  }),
  output: WARNED,
  refusals: ["absent", "conflict"],
  lasting: "change-webhooks",
  changes: "webhooks.show",
  needsAdmin: ({ off }) => !off,
  async run(asked) {
    const { id, off } = asked.input;
    const { webhooks: rows } = await asked.parts.events();
    const { url } = await rowOf(rows, id);
    const allowsPrivateNetwork = !off;
    const check = await checkReceiver(asked, { url, allowsPrivateNetwork });
    // Without the permission, the receiver may be refused: that is the purpose of `off`.
    if (check.refusal && !off) throw conflict(`The receiver: ${check.refusal(allowing(id))}`);
    const change = { allowsPrivateNetwork, caller: asked.caller };
    refuse(await allowPrivateNetwork({ rows }, id, change), id);
    return warned(id, failingWords(check, id));
  },
});

const switchWebhook = defineAction({
  id: "webhooks.switch",
  summary: "send events to a subscription, or send none",
  scope: SCOPE,
  method: "PUT",
  path: "/webhooks/{id}/enabled",
  command: [
    {
      words: "webhook enable <id>",
      summary: "send events to a subscription again",
      sets: { enabled: true },
    },
    {
      words: "webhook disable <id>",
      summary: "send no events to a subscription; those that wait stay",
      sets: { enabled: false },
    },
  ],
  form: NO_PAGE,
  input: z.strictObject({
    id: ID,
    enabled: field(z.boolean(), "Enabled", "Send events; false: those that wait stay."),
  }),
  output: WARNED,
  refusals: ["absent"],
  lasting: "change-webhooks",
  changes: "webhooks.show",
  async run(asked) {
    const { id, enabled: isEnabled } = asked.input;
    const { webhooks: rows } = await asked.parts.events();
    const row = await rowOf(rows, id);
    const check = isEnabled ? await checkReceiver(asked, row) : {};
    refuse(await enableWebhook({ rows }, id, { isEnabled, caller: asked.caller }), id);
    return warned(id, failingWords(check, id));
  },
});

const removeWebhookAction = defineAction({
  id: "webhooks.remove",
  summary: "remove a subscription and its deliveries",
  scope: SCOPE,
  method: "DELETE",
  path: "/webhooks/{id}",
  command: "webhook remove <id>",
  form: NO_PAGE,
  input: z.strictObject({ id: ID }),
  output: z.strictObject({ id: z.string() }),
  refusals: ["absent", "conflict"],
  lasting: "change-webhooks",
  changes: "webhooks.show",
  async run({ input: { id }, parts, caller }) {
    const { webhooks: rows } = await parts.events();
    refuse(await removeWebhook({ rows }, id, caller), id);
    return { id };
  },
});

/** URLs that get events. */
export const WEBHOOK_CHANGES = [
  addWebhookAction,
  listWebhooks,
  showWebhook,
  testWebhookAction,
  rotateWebhook,
  includePrivateNames,
  allowPrivateReceiver,
  switchWebhook,
  removeWebhookAction,
];

/** @throws RefusedActionError */
export async function rowOf(rows: Pick<WebhookRows, "list">, id: string): Promise<WebhookRow> {
  const row = await findWebhook(rows, id);
  if (row) return row;
  throw unknownWebhook(id);
}

function refuse(status: "absent" | "configured" | "changed" | "removed", id: string): void {
  if (status === "absent") throw unknownWebhook(id);
  if (status === "configured") {
    throw conflict(`${id} is a webhook of the settings: change it there.`);
  }
}

function unknownWebhook(id: string) {
  return absent(`There is no webhook ${id}, or several begin so: sealhouse webhook list`);
}

function warned(id: string, warning: string | undefined): WarnedWebhook {
  return { id, ...(warning !== undefined && { warning }) };
}
