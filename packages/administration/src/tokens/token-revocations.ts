import type { TokenRecord } from "@sealhouse/identity";
import { z } from "zod";
import { defineAction, namesOf } from "../action.ts";
import { field } from "../field.ts";
import { absent, conflict } from "../refusal.ts";
import type { TokenRows } from "./parts.ts";
import { shownToken, TOKEN } from "./shown-token.ts";
import type { ShownToken } from "./shown-token.ts";

const LIST = "/administration/api-keys";

const ID_LENGTH = 36;
export const ID = field(
  z.string().min(1).max(ID_LENGTH),
  "Token",
  "The id of the token, or its beginning.",
);

const REVOKED = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  outcome: z.enum(["planned", "revoked", "unchanged"]).describe("unchanged: revoked before."),
  tokens: z.array(TOKEN).describe("The tokens that end."),
});
/** A revocation as the API and commands show it. */
export type RevokedTokens = z.output<typeof REVOKED>;

export const revokeToken = defineAction({
  id: "tokens.revoke",
  summary: "revoke a token, by ID or prefix, and all tokens made with it; print them",
  scope: "tokens:write",
  method: "POST",
  path: "/tokens/{id}/revoke",
  command: "token revoke <id>",
  form: {
    page: `${LIST}/{id}/revoke`,
    button: "Revoke the API key",
    done: "The API key was revoked.",
    after: LIST,
  },
  input: z.strictObject({ id: ID }),
  output: REVOKED,
  refusals: ["absent", "conflict"],
  lasting: "revoke-token",
  changes: "tokens.show",
  hasDryRun: true,
  ending: ({ name, tokens }) => ({
    title: `Revoke the API key ${name}?`,
    ends: [
      `Stop working now, with all keys that were made with it: ${counted(tokens.length)}: ` +
        `${namesOf(tokens.map(shownName))}.`,
    ],
    button: "Revoke the API key",
  }),
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

/** Tokens that one call revokes. */
const AT_ONCE_MAX = 200;

const ALL_REVOKED = z.strictObject({
  outcome: z.enum(["planned", "revoked"]),
  tokens: z.array(TOKEN).describe("The tokens that end."),
});
/** The revocation of several tokens. */
export type RevokedAtOnce = z.output<typeof ALL_REVOKED>;

export const revokeTokens = defineAction({
  id: "tokens.revoke-all",
  summary: "revoke several tokens, and all tokens made with them",
  scope: "tokens:write",
  method: "POST",
  path: "/tokens/revoke",
  command: "token revoke-all",
  form: {
    page: `${LIST}/revoke`,
    button: "Revoke the API keys",
    done: "The API keys were revoked.",
    after: LIST,
  },
  input: z.strictObject({
    ids: field(
      z.array(z.string().min(1).max(ID_LENGTH)).min(1).max(AT_ONCE_MAX),
      "API keys",
      `The ids of up to ${AT_ONCE_MAX} tokens.`,
      { option: "--id <ids...>" },
    ),
  }),
  output: ALL_REVOKED,
  refusals: ["absent", "conflict"],
  lasting: "revoke-token",
  hasDryRun: true,
  ending: ({ tokens }) => ({
    title: `Revoke ${counted(tokens.length)}?`,
    ends: [
      `Stop working now, with all keys that were made with them: ` +
        `${namesOf(tokens.map(shownName))}.`,
    ],
    button: "Revoke the API keys",
  }),
  async run({ input, parts, caller, now, isDryRun }) {
    const rows = await parts.rows();
    const { tokens } = rows;
    const ending = new Map<string, TokenRecord>();
    for (const part of new Set(input.ids)) {
      const token = await requireToken(rows, part);
      for (const one of [token, ...(await tokens.madeWith(token.id))]) ending.set(one.id, one);
    }
    const valid = [...ending.values()].filter(({ revokedAt }) => !revokedAt);
    if (isDryRun) {
      return { outcome: "planned" as const, tokens: valid.map((one) => shownToken(one, now)) };
    }
    // Each has its own record in the audit log. A call that stops half-way can be repeated.
    for (const { id } of valid) await tokens.revoke(id, now, caller);
    const shown = valid.map((one) => shownToken({ ...one, revokedAt: now }, now));
    return { outcome: "revoked" as const, tokens: shown };
  },
});

function counted(count: number): string {
  return count === 1 ? "1 API key" : `${count} API keys`;
}

function shownName({ name, holder }: ShownToken): string {
  return holder === undefined ? name : `${name} (${holder})`;
}

/** @throws RefusedActionError */
export async function requireToken({ tokens }: TokenRows, part: string): Promise<TokenRecord> {
  const isWhole = part.length === ID_LENGTH;
  const [token, other] = isWhole ? [await tokens.findById(part)] : await tokens.startingWith(part);
  if (!token) throw absent(`There is no token ${part}.`);
  if (other) throw conflict(`Several tokens begin with ${part}; write more of it.`);
  return token;
}
