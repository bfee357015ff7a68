import { groupNamed, isLent, parseMember, TARGET_NAME, targetNamed } from "@sealhouse/promotion";
import type { Promotion, Release, Syndication, SyndicationSource } from "@sealhouse/promotion";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { openFeed } from "../open-feed.ts";
import { printableLine } from "../printable.ts";

export type SyndicationAddOptions = Json & {
  readonly target: string;
  readonly group?: string;
  readonly member?: string;
  readonly name?: string;
  readonly prerelease?: true;
  readonly versionPattern?: string;
  readonly replace?: true;
};

export async function addSyndication(
  command: Command,
  options: SyndicationAddOptions,
): Promise<number> {
  await using resources = await openFeed(command);
  const promotion = await resources.openPromotion();
  const from = await sourceIn(promotion, options);
  const target = targetNamed(await promotion.targets.list(), options.target);
  if (!target) {
    throw new CommandError(
      `--target: there is no target "${options.target}": sealhouse target list`,
    );
  }
  if (isLent(target)) {
    const words = "its releases need a key of a pipeline, which uploads do not have";
    throw new CommandError(`--target: ${target.name} stores no key; ${words}`);
  }
  const name = options.name ?? defaultName(from, target.name);
  if (!TARGET_NAME.test(name)) {
    throw new CommandError(`--name: "${name}" is not a name of up to 64 letters, digits and . _ -`);
  }
  if (syndicationNamed(await promotion.syndications.list(), name) && !options.replace) {
    throw new CommandError(`There is a syndication "${name}" already. To replace it: --replace`);
  }
  const { prerelease = false, versionPattern: version } = options;
  const filter = { prerelease, ...(version !== undefined && { version }) };
  const syndication = { name, from, target: target.name, isEnabled: true, filter };
  await promotion.syndications.put(syndication, operator());
  if (options.json) command.stdout(JSON.stringify(syndication, undefined, 2));
  else command.stderr(`Added the syndication ${name}. Uploads from now on are published.`);
  return 0;
}

export async function listSyndications(command: Command, { json }: Json): Promise<number> {
  await using resources = await openFeed(command);
  const { syndications, releases } = await resources.openPromotion();
  const shown = [];
  for (const syndication of await syndications.list()) {
    const own = await releases.list({ group: syndication.name, limit: RELEASES_MAX });
    shown.push({ ...syndication, ...countsOf(own) });
  }
  if (json) command.stdout(JSON.stringify(shown, undefined, 2));
  else for (const syndication of shown) command.stdout(printableLine(lineOf(syndication)));
  if (!json && shown.length === 0) {
    command.stderr("There are no syndications: sealhouse syndication add");
  }
  return 0;
}

/** Releases that a list or a replay looks at. */
const RELEASES_MAX = 1000;

export async function switchSyndication(
  command: Command,
  name: string,
  isEnabled: boolean,
): Promise<number> {
  await using resources = await openFeed(command);
  const { syndications } = await resources.openPromotion();
  const before = syndicationNamed(await syndications.list(), name);
  if (!before) throw absent(name);
  await syndications.put({ ...before, isEnabled }, operator());
  command.stderr(`${isEnabled ? "Resumed" : "Paused"} the syndication ${before.name}.`);
  return 0;
}

export async function replaySyndication(command: Command, name: string): Promise<number> {
  await using resources = await openFeed(command);
  const { syndications, releases } = await resources.openPromotion();
  if (!syndicationNamed(await syndications.list(), name)) throw absent(name);
  const own = await releases.list({ group: name, limit: RELEASES_MAX });
  const failed = own.filter(hasFailed).toReversed();
  for (const { id } of failed) await releases.resume(id, operator());
  command.stderr(`${failed.length} releases are tried again. A running host continues them.`);
  return 0;
}

export async function removeSyndication(command: Command, name: string): Promise<number> {
  await using resources = await openFeed(command);
  const { syndications } = await resources.openPromotion();
  if ((await syndications.remove(name, operator())) === "absent") throw absent(name);
  command.stderr(`Removed the syndication ${name}.`);
  return 0;
}

async function sourceIn(
  { groups }: Promotion,
  { group, member }: SyndicationAddOptions,
): Promise<SyndicationSource> {
  if ((group === undefined) === (member === undefined)) {
    throw new CommandError("Give either --group or --member.");
  }
  if (group !== undefined) {
    const found = groupNamed(await groups.list(), group);
    if (found) return { type: "group", group: found.name };
    throw new CommandError(`--group: there is no group "${group}": sealhouse group list`);
  }
  const parsed = parseMember(member ?? "", { type: "latest" });
  if (parsed) return { type: "pattern", protocol: parsed.protocol, pattern: parsed.pattern };
  throw new CommandError(`--member: "${member}" is not a pattern, such as npm:@acme/*`);
}

function defaultName(from: SyndicationSource, target: string): string {
  const source = from.type === "group" ? from.group : `${from.protocol}-${from.pattern}`;
  return `${source}-to-${target}`.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(0, 64);
}

function syndicationNamed(all: readonly Syndication[], name: string): Syndication | undefined {
  return all.find((known) => known.name.toLowerCase() === name.toLowerCase());
}

function hasFailed({ state }: Release): boolean {
  return state === "failed" || state === "rolled-back";
}

function countsOf(releases: readonly Release[]) {
  const count = (isCounted: (release: Release) => boolean) => releases.filter(isCounted).length;
  return {
    released: count(({ state }) => state === "released"),
    failed: count(hasFailed),
    waiting: count(({ endedAt }) => endedAt === undefined),
  };
}

function lineOf(syndication: Syndication & ReturnType<typeof countsOf>): string {
  const { name, from, target, isEnabled, released, failed, waiting } = syndication;
  const source = from.type === "group" ? `group ${from.group}` : `${from.protocol}:${from.pattern}`;
  const counts = `${released} released, ${waiting} waiting, ${failed} failed`;
  return [name, source, `to ${target}`, isEnabled ? "enabled" : "paused", counts].join("  ");
}

function absent(name: string): CommandError {
  return new CommandError(`There is no syndication "${name}": sealhouse syndication list`);
}
