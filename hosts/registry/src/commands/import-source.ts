import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import type { ImportProgress } from "../import/import-progress.ts";
import { openImportProgress } from "../import/import-progress.ts";
import { CommandError } from "./run.ts";
import type { Command } from "./run.ts";

/**
 * The address of a server; undefined for a text that is a folder's name.
 * @throws {CommandError} for what is no address, or holds credentials
 */
export function addressIn(text: string): URL | undefined {
  if (!/^https?:\/\//i.test(text)) return undefined;
  const url = URL.parse(text);
  if (!url) throw new CommandError(`"${text}" is no address.`);
  if (url.username === "" && url.password === "") return url;
  throw new CommandError("Give credentials by options such as --password-env, not in the address.");
}

/** What the environment variable holds.
 * @throws {CommandError} when it is not set */
export function secretIn(env: Command["env"], name: string): string {
  const value = env[name];
  if (value !== undefined && value !== "") return value;
  throw new CommandError(`The environment variable ${name} is not set.`);
}

export type BasicOptions = {
  readonly username?: string;
  /** The name of an environment variable: a secret on the command line is everybody's to read. */
  readonly passwordEnv?: string;
};

/** Registries that go by the password alone take any name.
 * @throws {CommandError} for a name without a password */
export function basicCredentials(
  { username, passwordEnv }: BasicOptions,
  env: Command["env"],
): { readonly type: "basic"; readonly username: string; readonly password: string } | undefined {
  if (passwordEnv !== undefined) {
    return { type: "basic", username: username ?? "token", password: secretIn(env, passwordEnv) };
  }
  if (username === undefined) return undefined;
  throw new CommandError("--username needs --password-env, the variable that holds the password.");
}

/** What is done already of an import from `source`, which also says what of it was wanted. */
export async function importProgress(
  source: string,
  wanted: {
    readonly protocol: "nuget" | "npm" | "oci";
    readonly dataPath: string;
    /** The file, where it is to be another than the one in `dataPath`. */
    readonly cursor?: string | undefined;
    readonly fromStart?: true | undefined;
    readonly now: () => Date;
  },
): Promise<ImportProgress> {
  const { protocol, dataPath, cursor, fromStart = false, now } = wanted;
  const name = createHash("sha256").update(source).digest("hex").slice(0, 16);
  const path = resolve(cursor ?? join(dataPath, "imports", `${protocol}-${name}.json`));
  return openImportProgress(path, { source, now, fromStart });
}
