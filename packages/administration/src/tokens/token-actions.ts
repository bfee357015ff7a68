import { randomBytes } from "node:crypto";
import {
  CHILDREN_MAX,
  createToken,
  parseExpiry,
  parseScopes,
  replaceToken,
  TOKEN_STATES,
} from "@sealhouse/identity";
import type { TokenPage, TokenRecord } from "@sealhouse/identity";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { keyAfter, PAGE_FIELDS, pageFrom, pageSchema } from "../paging.ts";
import { absent, conflict, invalidField } from "../refusal.ts";
import type { RefusedActionError } from "../refusal.ts";
import { requireAccount, requireUser } from "../require-people.ts";
import type { TokenRows } from "./parts.ts";
import { NEW_TOKEN, shownToken, TOKEN } from "./shown-token.ts";
import { checked, holderOf, isPowerful, newTokenOf } from "./token-settings.ts";

const NO_PAGE = { none: "People manage their own tokens at /account/tokens." } as const;

/** Texts belong to a schema, so each field has another one. */
const handle = () => z.string().max(64).optional();

export const EXPIRES = field(
  z.string().max(40).default("1y"),
  "Expires",
  "A span (90d, 12h, 1y), a date, or never.",
  { option: "--expires <when>", example: "90d" },
);

export const PATTERNS = field(
  z.string().max(30_000).default(""),
  "Names",
  "Limit to names: Acme.*, @acme/*, team/app/**.",
  { option: "--patterns <list>" },
);

export const NETWORKS = field(
  z.string().max(10_000).default(""),
  "Networks",
  "Limit to networks: 10.0.0.0/8.",
  { option: "--networks <list>" },
);

const createTokenAction = defineAction({
  id: "tokens.create",
  summary: "create a token and print it once, on standard output",
  scope: "tokens:write",
  method: "POST",
  path: "/tokens",
  command: "token create",
  form: NO_PAGE,
  input: z.strictObject({
    name: field(z.string().max(200), "Name", "The name of the token: laptop, ci.", {
      option: "--name <name>",
      example: "ci",
    }),
    scopes: field(
      z.string().max(400).default("read"),
      "Scopes",
      "read, stage, publish, write, delete, admin, or those of a part of the administration.",
      { option: "--scopes <list>", example: "read,write" },
    ),
    expires: EXPIRES,
    protocols: field(
      z.string().max(100).default(""),
      "Protocols",
      "Limit to protocols: nuget, npm, oci.",
      { option: "--protocols <list>" },
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
  form: NO_PAGE,
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

const ID_LENGTH = 36;
const ID = field(
  z.string().min(1).max(ID_LENGTH),
  "Token",
  "The id of the token, or its beginning.",
);

const showToken = defineAction({
  id: "tokens.show",
  summary: "show a token, without its value",
  scope: "tokens:write",
  method: "GET",
  path: "/tokens/{id}",
  command: "token show <id>",
  form: NO_PAGE,
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
  form: NO_PAGE,
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

const REVOKED = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  outcome: z.enum(["planned", "revoked", "unchanged"]).describe("unchanged: revoked before."),
  tokens: z.array(TOKEN).describe("The tokens that end."),
});
/** A revocation as the API and commands show it. */
export type RevokedTokens = z.output<typeof REVOKED>;

const revokeToken = defineAction({
  id: "tokens.revoke",
  summary: "revoke a token, by ID or prefix, and all tokens made with it; print them",
  scope: "tokens:write",
  method: "POST",
  path: "/tokens/{id}/revoke",
  command: "token revoke <id>",
  form: NO_PAGE,
  input: z.strictObject({ id: ID }),
  output: REVOKED,
  refusals: ["absent", "conflict"],
  lasting: "revoke-token",
  changes: "tokens.show",
  hasDryRun: true,
  async run({ input, parts, caller, now, isDryRun }) {
    const rows = await parts.rows();
    const { tokens } = rows;
    const token = await requireToken(rows, input.id);
    const { id, name } = token;
    const ending = [token, ...(await tokens.madeWith(id))].filter(({ revokedAt }) => !revokedAt);
    const shown = (end: Partial<TokenRecord>) =>
      ending.map((one) => shownToken({ ...one, ...end }, now));
    if (isDryRun) return { id, name, outcome: "planned" as const, tokens: shown({}) };
    const outcome = await tokens.revoke(id, now, caller);
    if (outcome === "absent") throw absent(`There is no token ${id}.`);
    return { id, name, outcome, tokens: shown({ revokedAt: now }) };
  },
});

/** API tokens. */
export const TOKEN_ACTIONS = [
  createTokenAction,
  listTokens,
  showToken,
  replaceTokenAction,
  revokeToken,
];

/** @throws RefusedActionError */
async function requireToken({ tokens }: TokenRows, part: string): Promise<TokenRecord> {
  const isWhole = part.length === ID_LENGTH;
  const [token, other] = isWhole ? [await tokens.findById(part)] : await tokens.startingWith(part);
  if (!token) throw absent(`There is no token ${part}.`);
  if (other) throw conflict(`Several tokens begin with ${part}; write more of it.`);
  return token;
}

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
