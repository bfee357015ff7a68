import { randomBytes } from "node:crypto";
import {
  CHILDREN_MAX,
  createToken,
  parseExpiry,
  parseScopes,
  replaceToken,
  SCOPE_TEXTS,
  TOKEN_STATES,
} from "@sealhouse/identity";
import type { TokenPage, TokenRecord } from "@sealhouse/identity";
import { z } from "zod";
import { defineAction } from "../action.ts";
import type { FormPreset } from "../action.ts";
import { field } from "../field.ts";
import { keyAfter, PAGE_FIELDS, pageFrom, pageSchema } from "../paging.ts";
import { conflict, invalidField } from "../refusal.ts";
import type { RefusedActionError } from "../refusal.ts";
import { requireAccount, requireUser } from "../require-people.ts";
import { ID, requireToken, revokeToken, revokeTokens } from "./token-revocations.ts";
import { NEW_TOKEN, shownToken, TOKEN } from "./shown-token.ts";
import { checked, holderOf, isPowerful, newTokenOf } from "./token-settings.ts";

const LIST = "/administration/api-keys";

/** Texts belong to a schema, so each field has another one. */
const handle = () => z.string().max(64).optional();

const LIMITS = "Limits";

/** Common values of keys. */
const PRESETS: readonly FormPreset[] = [
  { name: "read", title: "Read packages", values: { name: "reader", scopes: "read" } },
  {
    name: "ci",
    title: "Publish from CI",
    values: { name: "ci", scopes: "read,publish", expires: "90d" },
  },
  {
    name: "program",
    title: "Administer by program",
    values: { name: "administration", scopes: "admin", expires: "90d" },
  },
];

export const EXPIRES = field(
  z.string().max(40).default("1y"),
  "Expires",
  "A span (90d, 12h, 1y), a date, or never.",
  { option: "--expires <when>", example: "90d", isDate: true },
);

export const PATTERNS = field(
  z.string().max(30_000).default(""),
  "Names",
  "Limit to names: Acme.*, @acme/*, team/app/**.",
  { option: "--patterns <list>", group: LIMITS, isLong: true },
);

export const NETWORKS = field(
  z.string().max(10_000).default(""),
  "Networks",
  "Limit to networks: 10.0.0.0/8.",
  { option: "--networks <list>", group: LIMITS, isLong: true },
);

const createTokenAction = defineAction({
  id: "tokens.create",
  summary: "create a token and print it once, on standard output",
  scope: "tokens:write",
  method: "POST",
  path: "/tokens",
  command: "token create",
  form: { page: `${LIST}/new`, button: "Create the API key", presets: PRESETS },
  input: z.strictObject({
    name: field(z.string().max(200), "Name", "The name of the token: laptop, ci.", {
      option: "--name <name>",
      example: "ci",
    }),
    scopes: field(
      z.string().max(400).default("read"),
      "Scopes",
      "read, stage, publish, write, delete, admin, or those of a part of the administration.",
      { option: "--scopes <list>", example: "read,write", values: SCOPE_TEXTS },
    ),
    expires: EXPIRES,
    protocols: field(
      z.string().max(100).default(""),
      "Protocols",
      "Limit to protocols: nuget, npm, oci.",
      {
        option: "--protocols <list>",
        group: LIMITS,
        values: { nuget: "NuGet", npm: "npm", oci: "Images" },
      },
    ),
    patterns: PATTERNS,
    networks: NETWORKS,
    user: field(handle(), "User", "The user whom the token belongs to. Default: the operators.", {
      option: "--user <handle>",
    }),
    account: field(handle(), "Service account", "The service account that it belongs to.", {
      option: "--account <name>",
    }),
  }),
  output: NEW_TOKEN,
  refusals: ["absent", "conflict"],
  lasting: "create-token",
  async needsAdmin(input, parts) {
    const scopes = checked(() => parseScopes(input.scopes));
    const rows = await parts.rows();
    return isPowerful(rows, { scopes, ...(await holderOf(rows, input, scopes)) });
  },
  async run({ input, parts, caller, now }) {
    const newToken = newTokenOf(input, now);
    const rows = await parts.rows();
    const holder = await holderOf(rows, input, newToken.scopes);
    const pepper = await parts.pepper();
    const making = { pepper, now, random: randomBytes };
    const { token, record } = checked(() => createToken(newToken, making));
    const held = { ...record, ...holder };
    await rows.tokens.insert(held, caller);
    return { token, ...shownToken(held, now) };
  },
});

const listTokens = defineAction({
  id: "tokens.list",
  summary: "list tokens, without their values",
  scope: "tokens:write",
  method: "GET",
  path: "/tokens",
  command: "token list",
  form: { page: LIST },
  input: z.strictObject({
    ...PAGE_FIELDS,
    owner: field(z.string().max(255).optional(), "Owner", "Only tokens of this owner.", {
      option: "--owner <name>",
    }),
    user: field(handle(), "User", "Only tokens of this user.", { option: "--user <handle>" }),
    account: field(handle(), "Service account", "Only tokens of this service account.", {
      option: "--account <name>",
    }),
    state: field(
      z.enum(TOKEN_STATES).optional(),
      "State",
      "Only active, expired or revoked tokens.",
      { option: "--state <state>" },
    ),
    expiresWithin: field(
      z.string().max(40).optional(),
      "Expires within",
      "Only valid tokens that expire within a span: 30d.",
      { option: "--expires-within <span>" },
    ),
    unused: field(z.boolean().optional(), "Unused", "Only tokens without a use."),
    leaked: field(z.boolean().optional(), "Leaked", "Only tokens that were reported as leaked."),
  }),
  output: pageSchema(TOKEN),
  refusals: ["absent"],
  async run({ input, parts, now }) {
    const { owner, user, account, state, expiresWithin, unused, leaked } = input;
    const rows = await parts.rows();
    const until = () => parseExpiry(expiresWithin ?? "never", now);
    const filter = {
      owner,
      userId: user === undefined ? undefined : (await requireUser(rows, user)).id,
      serviceAccountId:
        account === undefined ? undefined : (await requireAccount(rows, account)).id,
      state,
      expiresUntil: checked(until, "expiresWithin"),
      isUnused: unused,
      isLeaked: leaked,
      now,
    };
    const after = positionIn(input.after);
    const page = await pageFrom<TokenRecord>(
      input.limit,
      (last, limit) => rows.tokens.page({ ...filter, after: last ?? after, limit }),
      ({ createdAt, id }) => `${createdAt.toISOString()} ${id}`,
    );
    return { ...page, items: page.items.map((record) => shownToken(record, now)) };
  },
});

function positionIn(text: string | undefined): TokenPage["after"] {
  const key = keyAfter(text);
  if (key === undefined) return undefined;
  const [time = "", id = ""] = key.split(" ");
  const createdAt = new Date(time);
  if (Number.isNaN(createdAt.getTime())) throw invalidField("after", "is not a value of next.");
  return { createdAt, id };
}

const showToken = defineAction({
  id: "tokens.show",
  summary: "show a token, without its value",
  scope: "tokens:write",
  method: "GET",
  path: "/tokens/{id}",
  command: "token show <id>",
  form: { page: `${LIST}/{id}` },
  input: z.strictObject({ id: ID }),
  output: TOKEN,
  refusals: ["absent", "conflict"],
  volatile: ["state", "lastUsedAt", "lastUsedFrom"],
  run: async ({ input, parts, now }) =>
    shownToken(await requireToken(await parts.rows(), input.id), now),
});

const replaceTokenAction = defineAction({
  id: "tokens.replace",
  summary: "create a token with the same scopes and limits; the old one stays valid",
  scope: "tokens:write",
  method: "POST",
  path: "/tokens/{id}/replace",
  command: "token replace <id>",
  form: { page: `${LIST}/{id}/replace`, button: "Create the new key" },
  input: z.strictObject({ id: ID, expires: EXPIRES }),
  output: NEW_TOKEN,
  refusals: ["absent", "conflict"],
  lasting: "create-token",
  changes: "tokens.show",
  async needsAdmin({ id }, parts) {
    const rows = await parts.rows();
    return isPowerful(rows, await requireToken(rows, id));
  },
  async run({ input, parts, caller, now }) {
    const rows = await parts.rows();
    const { tokens } = rows;
    const replaced = await requireToken(rows, input.id);
    const { parentId, user, serviceAccount } = replaced;
    const parent = parentId === undefined ? undefined : await tokens.findById(parentId);
    const expiresAt = checked(() => parseExpiry(input.expires, now));
    const change = { replaced, all: parent ? [parent] : [], expiresAt, by: caller };
    const making = { pepper: await parts.pepper(), now, random: randomBytes };
    const outcome = await replaceToken(tokens, change, making);
    if (outcome.status !== "replaced") throw notReplaced(replaced, outcome.status);
    const { token, record } = outcome;
    const holder = { ...(user && { user }), ...(serviceAccount && { serviceAccount }) };
    return { token, ...shownToken({ ...record, ...holder }, now) };
  },
});

/** API tokens. */
export const TOKEN_ACTIONS = [
  createTokenAction,
  listTokens,
  showToken,
  replaceTokenAction,
  revokeToken,
  revokeTokens,
];

function notReplaced(
  { id, parentId = "" }: TokenRecord,
  status: "leaked" | "absent" | "crowded",
): RefusedActionError {
  switch (status) {
    case "leaked":
      return conflict(
        `The token ${id} was reported as leaked, so it cannot be replaced. Create a new one: ` +
          "sealhouse token create",
      );
    case "absent":
      return conflict(`The token ${id} is revoked: create a new one instead.`);
    case "crowded":
      return conflict(
        `The token ${parentId} created ${id} and has ${CHILDREN_MAX} valid tokens, which is the ` +
          "limit. Revoke one of them first.",
      );
  }
}
