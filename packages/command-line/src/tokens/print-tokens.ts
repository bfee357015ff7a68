import type {
  RevokedAtOnce,
  RevokedTokens,
  ShownNewToken,
  ShownToken,
} from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import { printableLine } from "../printable.ts";

/** Prints tokens. Only the value of a new one is on standard output. */
export const TOKEN_PRINTS = {
  "tokens.create": printOf<ShownNewToken>({
    text({ token, id, scopes, expiresAt }, { stdout, stderr }) {
      const end = expiresAt === undefined ? "without expiry" : `until ${expiresAt}`;
      stderr(`Token ${id} (${scopes.join(", ")}) is valid ${end}.`);
      stderr("Copy the token now; it is not shown again:");
      stdout(token);
    },
  }),
  "tokens.list": printOf<{ readonly items: readonly ShownToken[] }>({
    text({ items }, { stdout, stderr }) {
      if (items.length === 0)
        stderr("There are no such tokens. To create one: sealhouse token create");
      for (const token of items) stdout(lineOf(token));
    },
  }),
  "tokens.show": printOf<ShownToken>({ text: (token, { stdout }) => stdout(lineOf(token)) }),
  "tokens.replace": printOf<ShownNewToken>({
    text({ token, id, replaces = "" }, { stdout, stderr }) {
      stderr(`Token ${id} replaces ${replaces} and has the same scopes and limits.`);
      stderr(`When all clients use it: sealhouse token revoke ${replaces}`);
      stderr("Copy the token now; it is not shown again:");
      stdout(token);
    },
  }),
  "tokens.revoke-all": printOf<RevokedAtOnce>({
    text({ outcome, tokens }, { stdout, stderr }) {
      for (const { id, name } of tokens) stdout(printableLine(`${id}  ${name}`));
      stderr(`${outcome === "planned" ? "Would revoke" : "Revoked"} ${tokens.length} tokens.`);
    },
  }),
  "tokens.revoke": printOf<RevokedTokens>({
    text({ id, name, outcome, tokens }, { stdout, stderr }) {
      if (outcome === "unchanged") stderr(`${name} was revoked before.`);
      if (outcome === "revoked")
        stderr(`${name} (${id}) is revoked, with all tokens made with it:`);
      for (const token of tokens) stdout(lineOf(token));
      if (outcome === "planned")
        stderr(`Would revoke ${tokens.length} tokens; nothing was changed.`);
    },
    json({ id, outcome, tokens }) {
      const ids = tokens.map((token) => token.id);
      return outcome === "planned" ? { id, revokes: ids } : { id, outcome, revoked: ids };
    },
  }),
};

/** Returns one line: id, state, scopes, name, expiry, last use, and what else is known. */
function lineOf(token: ShownToken): string {
  const { id, state, scopes, name, expiresAt, lastUsedAt, lastUsedFrom } = token;
  const { owner, holder, replaces, leakedAt } = token;
  const from = lastUsedFrom === undefined ? "" : ` from ${lastUsedFrom}`;
  const facts = [
    expiresAt === undefined ? "never expires" : `expires ${expiresAt.slice(0, 10)}`,
    lastUsedAt === undefined ? "never used" : `last used ${lastUsedAt}${from}`,
    owner === undefined ? undefined : `owner ${owner}`,
    holder,
    replaces === undefined ? undefined : `replaces ${replaces}`,
    leakedAt === undefined ? undefined : `leaked ${leakedAt.slice(0, 10)}`,
  ].filter((fact) => fact !== undefined);
  return printableLine([id, state, scopes.join(","), name, ...facts].join("  "));
}
