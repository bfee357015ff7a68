import type { Loan } from "@sealhouse/promotion";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";
import { secretIn } from "../imports/import-source.ts";

/** Options of commands that begin or continue a release with keys of a pipeline. */
export type LendOptions = {
  /** Each `TARGET=VARIABLE`. */
  readonly lend?: readonly string[];
};

/**
 * Reads the keys that a pipeline lends from its environment variables.
 * @throws {CommandError}
 */
export function loansIn(
  { env }: Pick<Command, "env">,
  { lend = [] }: LendOptions,
): readonly Loan[] {
  return lend.map((text) => {
    const [, target, variable] = /^([^=]+)=([^=]+)$/.exec(text) ?? [];
    if (target !== undefined && variable !== undefined) {
      return { target, secret: secretIn(env, variable) };
    }
    throw new CommandError(
      `--lend: "${text}" is not TARGET=VARIABLE, a target and an environment variable`,
    );
  });
}
