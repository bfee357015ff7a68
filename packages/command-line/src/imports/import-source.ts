import type { Protocol } from "@sealhouse/request-types";
import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import type { ImportProgress } from "@sealhouse/upstream-sources";
import { openImportProgress } from "@sealhouse/upstream-sources";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";

/**
 * Returns the address of a server; undefined for the path of a folder.
 * @throws {CommandError} for an invalid address, or one with credentials
 */
export function addressIn(text: string): URL | undefined {
  if (!/^https?:\/\//i.test(text)) return undefined;
  const url = URL.parse(text);
  if (!url) throw new CommandError(`"${text}" is not a valid address.`);
  if (url.username === "" && url.password === "") return url;
  throw new CommandError(
    "Pass credentials with options such as --password-env, not in the address.",
  );
}

/** Returns the value of the environment variable.
 * @throws {CommandError} when it is not set */
export function secretIn(env: Command["env"], name: string): string {
  const value = env[name];
  if (value !== undefined && value !== "") return value;
  throw new CommandError(`The environment variable ${name} is not set.`);
}

export type BasicOptions = {
  readonly username?: string;
  /** Name of an environment variable: other users can read a secret on the command line. */
  readonly passwordEnv?: string;
};

/** The default name suits registries that check only the password.
 * @throws {CommandError} for a name without a password */
export function basicCredentials(
  { username, passwordEnv }: BasicOptions,
  env: Command["env"],
): { readonly type: "basic"; readonly username: string; readonly password: string } | undefined {
  if (passwordEnv !== undefined) {
    return { type: "basic", username: username ?? "token", password: secretIn(env, passwordEnv) };
  }
  if (username === undefined) return undefined;
  throw new CommandError("--username requires --password-env, the variable with the password.");
}

/** Opens the progress of an import. `source` contains the address and the selection. */
export async function importProgress(
  source: string,
  options: {
    readonly protocol: Protocol;
    readonly dataPath: string;
    /** Path of the file. Default: a file in `dataPath`. */
    readonly cursor?: string | undefined;
    readonly fromStart?: true | undefined;
    readonly now: () => Date;
  },
): Promise<ImportProgress> {
  const { protocol, dataPath, cursor, fromStart = false, now } = options;
  const name = createHash("sha256").update(source).digest("hex").slice(0, 16);
  const path = resolve(cursor ?? join(dataPath, "imports", `${protocol}-${name}.json`));
  return openImportProgress(path, { source, now, fromStart });
}
