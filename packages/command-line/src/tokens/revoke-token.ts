import { descendantsOf } from "@sealhouse/identity";
import type { TokenRecord } from "@sealhouse/identity";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { findTokenById } from "./find-token.ts";
import { holdersOf } from "./list-tokens.ts";
import { lineOfToken, shownToken } from "./token-output.ts";
import { openRows } from "../open-feed.ts";

/** Options of `token revoke`. */
export type RevokeOptions = Json & { readonly dryRun?: true };

/** Revokes a token and all tokens that were made with it, and prints them. */
export async function revokeToken(
  command: Command,
  id: string,
  options: RevokeOptions,
): Promise<number> {
  await using database = await openRows(command);
  const all = await database.tokens.list();
  const token = findTokenById(all, id);
  const now = new Date();
  const ending = [token, ...descendantsOf(all, token.id)].filter((one) => !one.revokedAt);
  const holders = await holdersOf(database, ending);
  const lines = (time: Date) => ending.map((one) => lineOfToken(shownToken(one, time, holders)));
  if (options.dryRun === true)
    return printPlan(command, { token, ending, lines: lines(now) }, options);
  const outcome = await database.tokens.revoke(token.id, now, operator());
  if (options.json === true) {
    command.stdout(JSON.stringify({ id: token.id, outcome, revoked: ending.map(idOf) }));
    return outcome === "absent" ? 1 : 0;
  }
  if (outcome === "unchanged") command.stderr(`${token.name} was revoked before.`);
  else command.stderr(`${token.name} (${token.id}) is revoked, with all tokens made with it:`);
  for (const one of ending) {
    command.stdout(lineOfToken(shownToken({ ...one, revokedAt: now }, now, holders)));
  }
  return outcome === "absent" ? 1 : 0;
}

type Plan = {
  readonly token: TokenRecord;
  readonly ending: readonly TokenRecord[];
  readonly lines: readonly string[];
};

function printPlan(
  { stdout, stderr }: Command,
  { token, ending, lines }: Plan,
  { json }: Json,
): number {
  if (json === true) {
    stdout(JSON.stringify({ id: token.id, revokes: ending.map(idOf) }));
    return 0;
  }
  for (const line of lines) stdout(line);
  stderr(`Would revoke ${ending.length} tokens; nothing was changed.`);
  return 0;
}

function idOf({ id }: TokenRecord): string {
  return id;
}
