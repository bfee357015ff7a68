import type { TokenRecord } from "@sealhouse/identity";
import { CommandError } from "../command.ts";

/**
 * Finds a token by its id, or by a unique beginning of it.
 *
 * @throws CommandError
 */
export function findTokenById(tokens: readonly TokenRecord[], id: string): TokenRecord {
  const [token, other] = tokens.filter((candidate) => candidate.id.startsWith(id));
  if (!token || id === "") throw new CommandError(`There is no token ${id}.`);
  if (other) throw new CommandError(`Several tokens begin with ${id}; write more of it.`);
  return token;
}
