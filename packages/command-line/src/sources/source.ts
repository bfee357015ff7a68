import {
  describeSource,
  enableSource,
  openSourceFetch,
  openStoredSources,
  probeSource,
  sourceNamed,
} from "@sealhouse/upstream-sources";
import type { PackageSource, ProbeReport, SourceDescription } from "@sealhouse/upstream-sources";
import type { Config } from "../config.ts";
import { sourceSurroundings } from "@sealhouse/upstream-sources/settings";
import type { RegistryResources } from "../ports.ts";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { openFeed } from "../open-feed.ts";
import { refusal } from "./source-add.ts";

/** Lists the sources of the database, then those of the settings. */
export async function listSources(command: Command, { json }: Json): Promise<number> {
  const { config } = command.load();
  await using resources = await openFeed(command);
  const warn = (source: string) => command.stderr(unreadable(source));
  const { stored, configured } = await allSources(config, resources, warn);
  const states = await resources.database.upstream.states.all();
  const now = new Date();
  const shown = [...stored, ...configured].map((source) =>
    describeSource(source, {
      state: states.get(source.name.toLowerCase()),
      now,
      isReplaced: source.from === "configuration" && stored.length > 0,
    }),
  );
  if (json) command.stdout(JSON.stringify(shown, undefined, 2));
  else for (const source of shown) command.stdout(lineOf(source));
  if (!json && shown.length === 0) command.stderr("There are no sources: sealhouse source add");
  if (!config.mirror.isEnabled) command.stderr("No source is used: Mirror__Enabled is false.");
  return 0;
}

/** Asks a source what it offers. Ends with 1 when it does not work. */
export async function testSource(command: Command, name: string, { json }: Json): Promise<number> {
  const { config } = command.load();
  await using resources = await openFeed(command);
  const { stored, configured } = await allSources(config, resources);
  const source = sourceNamed([...stored, ...configured], name);
  if (!source) throw new CommandError(unknownSource(name));
  const report = await probeSource(source, {
    fetch: openSourceFetch(source, command.registry.openFetchForSources(config.host)),
    signal: command.stop,
    clock: () => performance.now(),
  });
  if (json) command.stdout(JSON.stringify({ name: source.name, ...report }, undefined, 2));
  else printReport(command, source, report);
  return report.outcome === "works" ? 0 : 1;
}

export async function switchSource(
  command: Command,
  name: string,
  isEnabled: boolean,
): Promise<number> {
  const { config } = command.load();
  await using resources = await openFeed(command);
  const { database, keyRing } = resources;
  const stored = openStoredSources(database.upstream.sources, keyRing, (source) => {
    if (source.toLowerCase() === name.toLowerCase()) throw new CommandError(unreadable(source));
  });
  const surroundings = sourceSurroundings(config.feed);
  const change = await enableSource(stored, name, { isEnabled, surroundings, caller: operator() });
  if (change.status === "refused") throw new CommandError(refusal(change.problems));
  if (change.status === "absent") throw new CommandError(notStored(config, name));
  command.stderr(`${name} is ${isEnabled ? "enabled" : "disabled"}. Hosts follow within seconds.`);
  return 0;
}

export async function removeSource(command: Command, name: string): Promise<number> {
  const { config } = command.load();
  await using resources = await openFeed(command);
  const { sources } = resources.database.upstream;
  if ((await sources.remove(name, operator())) === "absent") {
    throw new CommandError(notStored(config, name));
  }
  command.stderr(`Removed the source ${name}. Packages that were fetched from it stay.`);
  if ((await sources.list()).length === 0 && config.mirror.sources.length > 0) {
    const names = config.mirror.sources.map((source) => source.name).join(", ");
    command.stderr(`The database has no sources now. Those of the settings are used: ${names}.`);
  }
  return 0;
}

/** The sources of the database and of the settings. */
export async function allSources(
  { mirror }: Pick<Config, "mirror">,
  { database, keyRing }: Pick<RegistryResources, "database" | "keyRing">,
  onUnreadable?: (source: string) => void,
): Promise<{
  readonly stored: readonly PackageSource[];
  readonly configured: readonly PackageSource[];
}> {
  const stored = await openStoredSources(database.upstream.sources, keyRing, onUnreadable).list();
  return { stored, configured: mirror.sources };
}

function notStored({ mirror }: Pick<Config, "mirror">, name: string): string {
  if (!sourceNamed(mirror.sources, name)) return unknownSource(name);
  return `"${name}" is a source of the settings: change it there.`;
}

function unreadable(name: string): string {
  return (
    `The key ring cannot decrypt the credentials of "${name}". Restore its keys, or set the ` +
    `credentials again: sealhouse source add ${name} --replace …`
  );
}

function unknownSource(name: string): string {
  return `There is no source "${name}": sealhouse source list`;
}

function lineOf(source: SourceDescription): string {
  const { name, protocol, url, priority, surface, strategy, from, status } = source;
  const { lastSuccessAt, lastErrorAt, lastError, pausedUntil } = source;
  return [
    name,
    protocol,
    url,
    status,
    `priority ${priority}`,
    ...(surface === undefined ? [] : [`surface ${surface}`]),
    strategy,
    ...(pausedUntil === undefined ? [] : [`until ${pausedUntil}`]),
    ...(lastSuccessAt === undefined ? [] : [`last success ${lastSuccessAt}`]),
    ...(lastErrorAt === undefined ? [] : [`last error ${lastErrorAt}: ${lastError}`]),
    `from the ${from === "database" ? "database" : "settings"}`,
  ].join("  ");
}

function printReport(
  { stdout, stderr }: Command,
  { name, isEnabled }: PackageSource,
  { outcome, status, durationMs, capabilities, problem, remarks = [] }: ProbeReport,
): void {
  const answer = status === undefined ? "no answer" : `status ${status}`;
  stdout([name, outcome, answer, `${durationMs} ms`, capabilities.join(", ")].join("  ").trim());
  if (problem !== undefined) stderr(problem);
  for (const remark of remarks) stderr(remark);
  if (!isEnabled) stderr(`${name} is disabled: sealhouse source enable ${name}`);
}
