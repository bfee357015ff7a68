import type { Credentials, NuGetClient } from "@sealhouse/nuget-protocol/client";
import { openNuGetClient } from "@sealhouse/nuget-protocol/client";
import { CommandError } from "../commands/run.ts";
import { createOutgoingFetch } from "../http/outgoing-fetch.ts";

export type SourceOptions = {
  readonly username?: string;
  /** Names of environment variables: a secret on the command line is everybody's to read. */
  readonly passwordEnv?: string;
  readonly apiKeyEnv?: string;
};

type Env = Readonly<Record<string, string | undefined>>;

/** @throws {CommandError} for a variable that is not set */
export function openSource(
  source: URL,
  options: SourceOptions & { readonly env: Env; readonly allowPrivate: boolean },
): NuGetClient {
  const outgoing = createOutgoingFetch({ allowPrivate: options.allowPrivate });
  return openNuGetClient({
    source,
    fetch: (url, init) => outgoing(url, init),
    credentials: credentialsOf(options, options.env),
  });
}

/** The service index; a host alone has it where everybody has it.
 * @throws {CommandError} for what is no address, or holds credentials */
export function parseSource(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw new CommandError(`"${text}" is no address.`);
  if (url.username !== "" || url.password !== "") {
    throw new CommandError(
      "Give credentials by --username and --password-env, not in the address.",
    );
  }
  return url.pathname === "/" ? new URL("/v3/index.json", url) : url;
}

function credentialsOf(
  { username, passwordEnv, apiKeyEnv }: SourceOptions,
  env: Env,
): Credentials | undefined {
  const secretIn = (name: string): string => {
    const value = env[name];
    if (value !== undefined && value !== "") return value;
    throw new CommandError(`The environment variable ${name} is not set.`);
  };
  if (apiKeyEnv !== undefined) return { type: "api-key", key: secretIn(apiKeyEnv) };
  if (passwordEnv !== undefined) {
    return { type: "basic", username: username ?? "token", password: secretIn(passwordEnv) };
  }
  if (username === undefined) return undefined;
  throw new CommandError("--username needs --password-env, the variable that holds the password.");
}
