import { checkReachable } from "@sealhouse/http-responses/outgoing";
import type { Protocol } from "@sealhouse/request-types";
import {
  addSource,
  describeSource,
  openSourceFetch,
  openStoredSources,
  parseSourceTexts,
} from "@sealhouse/upstream-sources";
import type {
  CredentialTexts,
  PackageSource,
  SourceTextPart,
  SourceTextProblem,
  SourceTexts,
} from "@sealhouse/upstream-sources";
import { sourceSurroundings } from "@sealhouse/upstream-sources/settings";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { addressIn, secretIn } from "../imports/import-source.ts";
import { operator } from "../operator.ts";
import { openFeed } from "../open-feed.ts";

export type AddOptions = Json & {
  readonly protocol: string;
  readonly url: string;
  readonly type?: string;
  readonly priority?: string;
  readonly surface?: string;
  readonly strategy?: string;
  readonly signaturePolicy?: string;
  readonly trustedCertificate?: readonly string[];
  readonly username?: string;
  readonly passwordEnv?: string;
  readonly tokenEnv?: string;
  readonly apiKeyEnv?: string;
  readonly headerEnv?: readonly string[];
  readonly credentialOrigin?: readonly string[];
  readonly tokenRealm?: readonly string[];
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly minimumReleaseAge?: string;
  readonly revalidateAfter?: string;
  readonly staleIfError?: string;
  readonly onRemoved?: string;
  readonly firstContact?: string;
  readonly caPath?: string;
  readonly allowPrivateNetwork?: true;
  readonly publicThroughHere?: true;
  readonly disabled?: true;
  readonly replace?: true;
};

/** The option of each part of a source. */
const OPTIONS: Readonly<Record<SourceTextPart, string>> = {
  Name: "the name",
  Protocol: "--protocol",
  FeedUrl: "--url",
  Type: "--type",
  Priority: "--priority",
  Surface: "--surface",
  CachingStrategy: "--strategy",
  SignaturePolicy: "--signature-policy",
  Allow: "--allow",
  Deny: "--deny",
  CredentialOrigins: "--credential-origin",
  TokenRealms: "--token-realm",
  TrustedCertificates: "--trusted-certificate",
  MinimumReleaseAge: "--minimum-release-age",
  RevalidateAfter: "--revalidate-after",
  StaleIfError: "--stale-if-error",
  OnRemoved: "--on-removed",
  FirstContact: "--first-contact",
  CaPath: "--ca-path",
  AllowPrivateNetwork: "--allow-private-network",
  PublicThroughHere: "--public-through-here",
  Username: "--username",
  Password: "--password-env",
  ApiKey: "--api-key-env",
  Token: "--token-env",
  Headers: "--header-env",
};

export async function addSourceCommand(
  command: Command,
  name: string,
  options: AddOptions,
): Promise<number> {
  const { config } = command.load();
  const source = sourceFrom(command, name, options);
  await using resources = await openFeed(command);
  const { database, keyRing } = resources;
  const stored = openStoredSources(database.upstream.sources, keyRing);
  const isFirst = (await stored.list()).length === 0;
  const surroundings = sourceSurroundings(config.feed);
  const isReplacing = options.replace ?? false;
  const fetch = openSourceFetch(source, command.registry.openFetchForSources(config.host));
  const change = await addSource(stored, source, {
    surroundings,
    isReplacing,
    caller: operator(),
    reach: () => checkReachable(source.url, fetch, command.stop),
  });
  if (change.status === "refused") throw new CommandError(refusal(change.problems));
  if (change.status === "exists") {
    throw new CommandError(`There is a source "${name}" already. To replace it, add --replace.`);
  }
  if (change.status === "changed" && change.warning !== undefined) command.stderr(change.warning);
  if (options.json) {
    const shown = describeSource(source, { now: new Date(), isReplaced: false });
    command.stdout(JSON.stringify(shown, undefined, 2));
    return 0;
  }
  command.stderr(`Added the source ${name}. Hosts use it within seconds.`);
  command.stderr(`To test it: sealhouse source test ${name}`);
  const { isEnabled, sources } = config.mirror;
  if (isFirst && sources.length > 0) {
    const names = sources.map((configured) => configured.name).join(", ");
    command.stderr(`Sources of the settings are no longer used: ${names}. Add them as well.`);
  }
  if (!isEnabled) command.stderr("No source is used while Mirror__Enabled is false.");
  return 0;
}

/** Texts for a problem name the option. */
export function refusal(problems: readonly SourceTextProblem[]): string {
  return problems.map(({ part, words }) => `${OPTIONS[part]} ${words}`).join("\n");
}

/** @throws {CommandError} */
function sourceFrom(command: Command, name: string, options: AddOptions): PackageSource {
  const { mirror } = command.load().config;
  const texts: SourceTexts = {
    ...options,
    name,
    url: addressIn(options.url)?.href ?? options.url,
    isEnabled: options.disabled !== true,
    credentials: secretsIn(command, options),
    lists: {
      allow: options.allow ?? [],
      deny: options.deny ?? [],
      credentialOrigins: options.credentialOrigin ?? [],
      tokenRealms: options.tokenRealm ?? [],
      trustedCertificates: options.trustedCertificate ?? [],
    },
    flags: {
      allowPrivateNetwork: options.allowPrivateNetwork ?? false,
      publicThroughHere: options.publicThroughHere ?? false,
    },
  };
  const outcome = parseSourceTexts(texts, mirror.fallbacks);
  if (outcome.status === "refused") throw new CommandError(refusal(outcome.problems));
  return outcome.source;
}

const PROTOCOLS = ["nuget", "npm", "oci"] as const satisfies readonly Protocol[];

/** Other users can read a secret on the command line, so it names variables. */
function secretsIn({ env }: Command, options: AddOptions): CredentialTexts {
  const { username, passwordEnv, tokenEnv, apiKeyEnv, headerEnv = [] } = options;
  const headers = headerEnv.map((text) => {
    const [name = "", variable] = text.split("=");
    if (!/^[A-Za-z0-9-]+$/.test(name) || variable === undefined) {
      throw new CommandError(`--header-env: "${text}" is not of the form Name=VARIABLE.`);
    }
    return [name, secretIn(env, variable)] as const;
  });
  return {
    username,
    password: passwordEnv === undefined ? undefined : secretIn(env, passwordEnv),
    token: tokenEnv === undefined ? undefined : secretIn(env, tokenEnv),
    apiKey: apiKeyEnv === undefined ? undefined : secretIn(env, apiKeyEnv),
    headers: Object.fromEntries(headers),
  };
}

/** @throws {CommandError} */
export function protocolIn(text: string): Protocol {
  const protocol = PROTOCOLS.find((one) => one === text.toLowerCase());
  if (protocol) return protocol;
  throw new CommandError(`"${text}" is not a protocol. Use nuget, npm or oci.`);
}
