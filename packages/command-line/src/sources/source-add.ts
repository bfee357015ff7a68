import { resolve } from "node:path";
import { parseTimeSpan } from "@sealhouse/settings";
import type { Protocol } from "@sealhouse/request-types";
import {
  addSource,
  createSource,
  credentialsFrom,
  describeSource,
  openStoredSources,
} from "@sealhouse/upstream-sources";
import type {
  CredentialTexts,
  PackageSource,
  SourcePart,
  SourceSettings,
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
const OPTIONS: Readonly<Record<SourcePart, string>> = {
  Name: "the name",
  FeedUrl: "--url",
  Surface: "--surface",
  SignaturePolicy: "--signature-policy",
  Allow: "--allow",
  Deny: "--deny",
  CredentialOrigins: "--credential-origin",
  TokenRealms: "--token-realm",
  TrustedCertificates: "--trusted-certificate",
  CaPath: "--ca-path",
  PublicThroughHere: "--public-through-here",
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
  const change = await addSource(stored, source, { surroundings, isReplacing, caller: operator() });
  if (change.status === "refused") throw new CommandError(refusal(change.problems));
  if (change.status === "exists") {
    throw new CommandError(`There is a source "${name}" already. To replace it, add --replace.`);
  }
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
export function refusal(
  problems: readonly { readonly part: SourcePart; readonly words: string }[],
): string {
  return problems.map(({ part, words }) => `${OPTIONS[part]} ${words}`).join("\n");
}

/** @throws {CommandError} */
function sourceFrom(command: Command, name: string, options: AddOptions): PackageSource {
  const protocol = protocolIn(options.protocol);
  const url = addressIn(options.url);
  if (!url) throw new CommandError(`--url: "${options.url}" is not an http or https URL.`);
  const { mirror } = command.load().config;
  if (options.signaturePolicy !== undefined && protocol !== "nuget") {
    throw new CommandError("--signature-policy is only for sources of NuGet packages.");
  }
  const credentials = credentialsFrom(protocol, secretsIn(command, options));
  if (credentials.status === "refused") {
    throw new CommandError(`The ${CREDENTIALS[credentials.part]} ${credentials.words}.`);
  }
  const { strategy, signaturePolicy } = mirror.fallbacks;
  return createSource({
    name,
    protocol,
    url: url.href,
    from: "database",
    type: choiceOf("--type", options.type, TYPES) ?? "upstream",
    ...(options.priority !== undefined && { priority: priorityIn(options.priority) }),
    ...(options.surface !== undefined && { surface: options.surface.toLowerCase() }),
    strategy: choiceOf("--strategy", options.strategy, STRATEGIES) ?? strategy,
    signaturePolicy:
      choiceOf("--signature-policy", options.signaturePolicy, POLICIES) ?? signaturePolicy,
    isEnabled: options.disabled !== true,
    ...(credentials.status === "usable" && { credentials: credentials.credentials }),
    settings: detailsIn(options),
  });
}

const TYPES = ["upstream", "downstream", "both"] as const;
const STRATEGIES = ["IndexAndCache", "CacheOnly", "ProxyOnly"] as const;
const POLICIES = ["Resign", "Merge", "TrustedCerts"] as const;
const TREATMENTS = ["Keep", "Hide", "Deny"] as const;
const FIRST_CONTACTS = ["Allow", "Hold"] as const;
const PROTOCOLS = ["nuget", "npm", "oci"] as const satisfies readonly Protocol[];

const CREDENTIALS: Readonly<Record<keyof CredentialTexts, string>> = {
  username: "user name (--username)",
  password: "password (--password-env)",
  apiKey: "API key (--api-key-env)",
  token: "token (--token-env)",
  headers: "secret header (--header-env)",
};

function detailsIn(options: AddOptions): Partial<SourceSettings> {
  const { minimumReleaseAge, revalidateAfter, staleIfError, onRemoved, caPath } = options;
  const treatment = choiceOf("--on-removed", onRemoved, TREATMENTS);
  const firstContact = choiceOf("--first-contact", options.firstContact, FIRST_CONTACTS);
  return {
    allow: options.allow ?? [],
    deny: options.deny ?? [],
    credentialOrigins: options.credentialOrigin ?? [],
    tokenRealms: options.tokenRealm ?? [],
    trustedCertificates: (options.trustedCertificate ?? []).map((text) =>
      text.replaceAll(":", "").toLowerCase(),
    ),
    allowPrivateNetwork: options.allowPrivateNetwork ?? false,
    publicThroughHere: options.publicThroughHere ?? false,
    ...(minimumReleaseAge !== undefined && {
      minimumReleaseAgeMs: spanIn("--minimum-release-age", minimumReleaseAge),
    }),
    ...(revalidateAfter !== undefined && {
      revalidateAfterMs: spanIn("--revalidate-after", revalidateAfter),
    }),
    ...(staleIfError !== undefined && { staleIfErrorMs: spanIn("--stale-if-error", staleIfError) }),
    ...(treatment && { onRemoved: treatment }),
    ...(firstContact && { firstContact }),
    ...(caPath !== undefined && { caPath: resolve(caPath) }),
  };
}

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

function choiceOf<const Value extends string>(
  option: string,
  text: string | undefined,
  values: readonly Value[],
): Value | undefined {
  if (text === undefined) return undefined;
  const value = values.find((one) => one.toLowerCase() === text.toLowerCase());
  if (value !== undefined) return value;
  throw new CommandError(`${option}: "${text}" is not allowed. Use ${values.join(", ")}.`);
}

function priorityIn(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new CommandError(`--priority: "${text}" is not a whole number from 0 to 999999.`);
}

function spanIn(option: string, text: string): number {
  const ms = parseTimeSpan(text);
  if (ms !== undefined && ms >= 0) return ms;
  throw new CommandError(`${option}: "${text}" is not a time span such as 7.00:00:00.`);
}
