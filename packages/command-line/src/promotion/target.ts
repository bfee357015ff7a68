import { resolve } from "node:path";
import type { Protocol } from "@sealhouse/request-types";
import { checkReachable } from "@sealhouse/http-responses/outgoing";
import type { Reachability } from "@sealhouse/http-responses/outgoing";
import {
  createTarget,
  openTargetFetch,
  parseMember,
  targetNamed,
  targetProblems,
} from "@sealhouse/promotion";
import type {
  Promotion,
  PublishTarget,
  TargetCredentials,
  TargetOptions,
  TargetPart,
  TargetProbe,
} from "@sealhouse/promotion";
import { sourceSurroundings } from "@sealhouse/upstream-sources/settings";
import { realDate } from "@sealhouse/administration";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { addressIn, secretIn } from "../imports/import-source.ts";
import { operator } from "../operator.ts";
import { openFeed } from "../open-feed.ts";
import { printableLine } from "../printable.ts";
import { loansIn } from "./loans.ts";
import type { LendOptions } from "./loans.ts";

export type TargetAddOptions = Json & {
  readonly protocol: string;
  readonly endpoint: string;
  readonly tokenEnv?: string;
  readonly username?: string;
  readonly lend?: string;
  readonly expires?: string;
  readonly nugetContent?: string;
  readonly publish?: string;
  readonly attestations?: true;
  readonly includeForeign?: true;
  readonly immutableTags?: true;
  readonly allowedOrigin?: readonly string[];
  readonly allowPrivateNetwork?: true;
  readonly caPath?: string;
  readonly replace?: true;
};

/** The option of each part of a target. */
const OPTIONS: Readonly<Record<TargetPart, string>> = {
  name: "the name",
  endpoint: "--endpoint",
  token: "--token-env",
  username: "--username",
  lend: "--lend",
  "allowed-origin": "--allowed-origin",
  publish: "--publish",
  "nuget-content": "--nuget-content",
  "immutable-tags": "--immutable-tags",
  ca: "--ca-path",
};

export async function addTarget(
  command: Command,
  name: string,
  options: TargetAddOptions,
): Promise<number> {
  const { config } = command.load();
  const target = targetFrom(command, name, options);
  const { ownOrigins } = sourceSurroundings(config.feed);
  const problems = targetProblems(target, { ownOrigins });
  if (problems.length > 0) {
    throw new CommandError(
      problems.map(({ part, words }) => `${OPTIONS[part]} ${words}`).join("\n"),
    );
  }
  await using resources = await openFeed(command);
  const { targets } = await resources.openPromotion();
  const before = targetNamed(await targets.list(), name);
  if (before && !options.replace) {
    throw new CommandError(`There is a target "${name}" already. To replace it, add --replace.`);
  }
  const fetch = openTargetFetch(target, command.registry.openFetchForSources(config.host));
  const reached = await checkReachable(target.endpoint, fetch, command.stop);
  if (reached.status === "refused") throw new CommandError(refusedAddress(reached));
  await targets.put(target, operator());
  if (reached.status === "unreachable") {
    command.stderr(`${name} does not answer: ${reached.reason}.`);
  }
  if (options.json) command.stdout(JSON.stringify(shownTarget(target, []), undefined, 2));
  else {
    command.stderr(`Added the target ${name}.`);
    command.stderr(`To test it: sealhouse target test ${name}`);
  }
  return 0;
}

/** Returns the refusal that the first release would get. */
function refusedAddress({
  reason,
  isPrivate,
}: Extract<Reachability, { readonly status: "refused" }>): string {
  return isPrivate
    ? `--allow-private-network is not set, and ${reason}`
    : `--endpoint must not be called: ${reason}`;
}

export async function listTargets(command: Command, { json }: Json): Promise<number> {
  await using resources = await openFeed(command);
  const { targets, groups } = await resources.openPromotion();
  const allGroups = await groups.list();
  const shown = (await targets.list()).map((target) => {
    const users = allGroups.filter((group) =>
      group.targets.some((used) => used.toLowerCase() === target.name.toLowerCase()),
    );
    return shownTarget(
      target,
      users.map((group) => group.name),
    );
  });
  if (json) command.stdout(JSON.stringify(shown, undefined, 2));
  else for (const target of shown) command.stdout(printableLine(lineOf(target)));
  if (!json && shown.length === 0) command.stderr("There are no targets: sealhouse target add");
  return 0;
}

export type TargetTestOptions = Json &
  LendOptions & {
    readonly repository?: string;
    readonly package?: string;
  };

/** Exit codes: 0 reachable and not refused; 1 otherwise. */
export async function testTarget(
  command: Command,
  name: string,
  options: TargetTestOptions,
): Promise<number> {
  const { json, repository } = options;
  await using resources = await openFeed(command);
  const promotion = await resources.openPromotion();
  const target = targetNamed(await promotion.targets.list(), name);
  if (!target) throw absent(name);
  if (options.package !== undefined) {
    const wanted = { ...options, package: options.package };
    return await testPackages(command, promotion, { target, ...wanted });
  }
  const place = repository === undefined ? {} : { repository };
  const probe = await promotion.probe(target, place, command.stop);
  if (json) command.stdout(JSON.stringify(probe, undefined, 2));
  else command.stdout(printableLine(`${target.name}: ${probe.status}. ${probe.words}`));
  return isTaken(probe) ? 0 : 1;
}

function isTaken({ status }: TargetProbe): boolean {
  return status === "ready" || status === "unproven";
}

async function testPackages(
  command: Command,
  promotion: Promotion,
  options: TargetTestOptions & { readonly target: PublishTarget; readonly package: string },
): Promise<number> {
  const { target, package: text } = options;
  const member = parseMember(text, { type: "latest" });
  if (!member) throw new CommandError(`--package: "${text}" is not a package, as npm:@acme/bar`);
  if (member.protocol !== target.protocol) {
    throw new CommandError(`--package: ${target.name} takes ${target.protocol} only`);
  }
  const wanted = { member, loans: loansIn(command, options) };
  const probes = await promotion.probePackages(target, wanted, command.stop);
  if (typeof probes === "string") throw new CommandError(probes);
  if (options.json) command.stdout(JSON.stringify(probes, undefined, 2));
  else {
    for (const { member: label, status, words } of probes) {
      command.stdout(printableLine(`${target.name}: ${label}: ${status}. ${words}`));
    }
  }
  return probes.every(isTaken) ? 0 : 1;
}

export async function removeTarget(command: Command, name: string): Promise<number> {
  await using resources = await openFeed(command);
  const { targets } = await resources.openPromotion();
  const outcome = await targets.remove(name, operator());
  if (outcome === "absent") throw absent(name);
  if (outcome === "used") {
    throw new CommandError(`A group uses the target ${name}: sealhouse target list`);
  }
  command.stderr(`Removed the target ${name}.`);
  return 0;
}

export async function pauseTarget(
  command: Command,
  name: string,
  reason: string | undefined,
): Promise<number> {
  await using resources = await openFeed(command);
  const { targets } = await resources.openPromotion();
  if (!targetNamed(await targets.list(), name)) throw absent(name);
  const caller = operator();
  const isChanged =
    reason === undefined
      ? await targets.resume(name, caller)
      : await targets.pause(name, reason, caller);
  const done = reason === undefined ? "Resumed" : "Paused";
  const before = reason === undefined ? "is not paused" : "is paused already";
  command.stderr(isChanged ? `${done} the target ${name}.` : `The target ${name} ${before}.`);
  return 0;
}

function absent(name: string): CommandError {
  return new CommandError(`There is no target "${name}": sealhouse target list`);
}

/** @throws {CommandError} */
function targetFrom(command: Command, name: string, options: TargetAddOptions): PublishTarget {
  const protocol = protocolIn(options.protocol);
  const url = addressIn(options.endpoint);
  if (!url) throw new CommandError(`--endpoint: "${options.endpoint}" is not an http or https URL`);
  return createTarget({
    name,
    protocol,
    endpoint: url.href,
    credentials: credentialsIn(command, protocol, options),
    expiresAt: dateIn(options.expires),
    options: optionsIn(command, options),
  });
}

function protocolIn(text: string): Protocol {
  if (text === "nuget" || text === "npm" || text === "oci") return text;
  throw new CommandError(`--protocol: "${text}" is not nuget, npm or oci`);
}

function credentialsIn(
  command: Command,
  protocol: Protocol,
  { tokenEnv, username, lend }: TargetAddOptions,
): TargetCredentials | undefined {
  if (lend !== undefined) {
    if (tokenEnv !== undefined) throw new CommandError("--lend: --token-env stores a key already");
    if (lend !== "key" && lend !== "id-token") {
      throw new CommandError(`--lend: "${lend}" is not key or id-token`);
    }
    return { type: "lent", kind: lend, ...(username !== undefined && { username }) };
  }
  if (tokenEnv === undefined) {
    if (username !== undefined) throw new CommandError("--username requires --token-env");
    return undefined;
  }
  const secret = secretIn(command.env, tokenEnv);
  if (username !== undefined) return { type: "basic", username, password: secret };
  return protocol === "nuget"
    ? { type: "api-key", key: secret }
    : { type: "bearer", token: secret };
}

function dateIn(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const date = realDate(text);
  if (date) return date;
  throw new CommandError(`--expires: "${text}" is not a date, such as 2027-01-31`);
}

function optionsIn(command: Command, options: TargetAddOptions): Partial<TargetOptions> {
  const { nugetContent, publish, allowedOrigin, caPath } = options;
  if (nugetContent !== undefined && nugetContent !== "Original" && nugetContent !== "Sealed") {
    throw new CommandError(`--nuget-content: "${nugetContent}" is not Original or Sealed`);
  }
  if (publish !== undefined && publish !== "direct" && publish !== "stage") {
    throw new CommandError(`--publish: "${publish}" is not direct or stage`);
  }
  return {
    ...(nugetContent !== undefined && { nugetContent }),
    ...(publish !== undefined && { publish }),
    ...(options.attestations && { attestations: true }),
    ...(options.includeForeign && { includeForeign: true }),
    ...(options.immutableTags && { immutableTags: true }),
    ...(allowedOrigin && { allowedOrigins: allowedOrigin }),
    ...(options.allowPrivateNetwork && { allowPrivateNetwork: true }),
    ...(caPath !== undefined && { caPath: resolve(command.workingFolder, caPath) }),
  };
}

/** A target without its secret. */
function shownTarget(target: PublishTarget, usedBy: readonly string[]) {
  const { name, protocol, endpoint, credentials, expiresAt, pause, options } = target;
  return {
    name,
    protocol,
    endpoint: endpoint.href,
    credentials: target.hasLostCredentials ? "lost" : credentialsWord(credentials),
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    ...(pause && { pausedAt: pause.at.toISOString(), pauseReason: pause.reason }),
    options,
    usedBy,
  };
}

function credentialsWord(credentials: TargetCredentials | undefined): string {
  return credentials?.type === "lent" ? `lent ${credentials.kind}` : (credentials?.type ?? "none");
}

function lineOf(target: ReturnType<typeof shownTarget>): string {
  const { name, protocol, endpoint, credentials, expiresAt, pauseReason, usedBy } = target;
  return [
    name,
    protocol,
    endpoint,
    `credentials: ${credentials}`,
    ...(expiresAt === undefined ? [] : [`expire ${expiresAt}`]),
    ...(pauseReason === undefined ? [] : [`paused: ${pauseReason}`]),
    usedBy.length > 0 ? `used by ${usedBy.join(", ")}` : "not used",
  ].join("  ");
}
