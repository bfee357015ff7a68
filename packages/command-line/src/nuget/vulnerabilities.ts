import { resolve } from "node:path";
import { reasonOf } from "@sealhouse/advisories";
import type { AdvisorySourceLocation, Counted } from "@sealhouse/advisories";
import { importAdvisories, importedSources, removeSource } from "@sealhouse/advisories/import";
import type { ImportReport } from "@sealhouse/advisories/import";
import { openDatabase } from "@sealhouse/database";
import type { Database } from "@sealhouse/database";
import { printableLine } from "../printable.ts";
import type { Config } from "../config.ts";
import { isSourceName } from "@sealhouse/advisories/settings";
import { advisoryRecorders, loadAdvisoryReaders } from "@sealhouse/feed";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";
import { openOutgoingFetch } from "@sealhouse/http-server";

export type ImportOptions = {
  /** One of the settings; default: all of them. */
  readonly source?: string;
  /** The name of a source that was given as a folder or an address. */
  readonly name?: string;
  readonly json?: true;
};

type Ended =
  | ImportReport
  | { readonly status: "failed"; readonly source: string; readonly reason: string };

/** Ends with 1 when any source could not be read. */
export async function importVulnerabilities(
  command: Command,
  location: string | undefined,
  options: ImportOptions,
): Promise<number> {
  const { config } = command.load();
  const sources = chosenSources(command, config, { location, ...options });
  await using database = await opened(config);
  const reports: Ended[] = [];
  for (const source of sources) {
    const report = await importOne(command, { config, database, source, location });
    reports.push(report);
    if (!options.json) printReport(command, report);
  }
  if (options.json) command.stdout(JSON.stringify(reports, undefined, 2));
  return reports.some(({ status }) => status === "failed") ? 1 : 0;
}

export async function listVulnerabilitySources(
  command: Command,
  { json }: { readonly json?: true },
): Promise<number> {
  const { config } = command.load();
  await using database = await opened(config);
  const sources = await importedSources(database.nuget.advisories);
  const shown = sources.map(({ name, location, updatedAt, checkedAt, isByHand }) => {
    const times = { updatedAt: updatedAt.toISOString(), checkedAt: checkedAt.toISOString() };
    return { name, location, ...times, isByHand };
  });
  if (json) {
    command.stdout(JSON.stringify(shown, undefined, 2));
    return 0;
  }
  if (shown.length === 0) command.stderr("No advisories were imported yet.");
  for (const { name, location, updatedAt, checkedAt, isByHand } of shown) {
    const by = isByHand ? "by hand" : "by the settings";
    command.stdout([name, location, by, `changed ${updatedAt}`, `read ${checkedAt}`].join("  "));
  }
  return 0;
}

export async function removeVulnerabilitySource(command: Command, name: string): Promise<number> {
  const { config } = command.load();
  await using database = await opened(config);
  const { advisories } = database.nuget;
  if (!(await advisories.sources()).some((source) => source.name === name)) {
    throw new CommandError(
      `There is no source of advisories "${name}": sealhouse vulnerabilities list`,
    );
  }
  await removeSource(advisoryRecorders(database), name);
  command.stderr(`${name} and its advisories are forgotten.`);
  return 0;
}

function chosenSources(
  { workingFolder }: Command,
  config: Config,
  options: ImportOptions & { readonly location: string | undefined },
): readonly AdvisorySourceLocation[] {
  const { sources } = config.feed.vulnerabilities;
  const { location, source, name } = options;
  if (location !== undefined) {
    if (name === undefined || !isSourceName(name)) {
      throw new CommandError(`Say with --name what ${location} is called: letters, digits, . _ -`);
    }
    if (sources.some((entry) => entry.name === name)) {
      throw new CommandError(`${name} is a source of the settings: leave the address out.`);
    }
    const isUrl = /^https?:\/\//i.test(location);
    return [{ name, location: isUrl ? location : resolve(workingFolder, location) }];
  }
  const chosen = sources.filter((entry) => source === undefined || entry.name === source);
  if (chosen.length === 0) {
    throw new CommandError(
      source === undefined
        ? "The settings name no source: set Feed__Vulnerabilities__Sources__0__Name and " +
            "__Path or __Url, or name a folder or an address."
        : `The settings name no source "${source}".`,
    );
  }
  return chosen;
}

async function importOne(
  { stop: signal }: Command,
  parts: {
    readonly config: Config;
    readonly database: Database;
    readonly source: AdvisorySourceLocation;
    readonly location: string | undefined;
  },
): Promise<Ended> {
  const { config, database, source, location } = parts;
  const fetch = openOutgoingFetch(config.host);
  const readers = await loadAdvisoryReaders();
  const recorders = advisoryRecorders(database);
  const isByHand = location !== undefined;
  try {
    return await importAdvisories(source, { readers, recorders, fetch, signal, isByHand });
  } catch (error) {
    return { status: "failed", source: source.name, reason: reasonOf(error) };
  }
}

function printReport({ stdout, stderr }: Command, report: Ended): void {
  switch (report.status) {
    case "unchanged":
      stdout(`${report.source}: nothing new`);
      return;
    case "failed":
      stderr(`${report.source}: ${report.reason}`);
      return;
    case "imported": {
      const { source, nuget, npm, skipped } = report;
      if (isTold(nuget)) stdout(`${source}: ${words(nuget, "NuGet")}`);
      if (isTold(npm)) stdout(`${source}: ${words(npm, "npm")}`);
      if (skipped.count === 0) return;
      stderr(`${source}: ${skipped.count} could not be read:`);
      for (const reason of skipped.reasons) stderr(`  ${printableLine(reason)}`);
      if (skipped.count > skipped.reasons.length) stderr("  …");
    }
  }
}

/** Most sources are about one of the two. */
function isTold({ total, removed }: Counted): boolean {
  return total + removed > 0;
}

function words({ total, added, removed }: Counted, protocol: string): string {
  const counted = `${total} ${total === 1 ? "advisory" : "advisories"}`;
  return `${counted} about ${protocol} packages (${added} added, ${removed} removed)`;
}

function opened(config: Config): Promise<Database> {
  return openDatabase(config.database, { migrate: config.migrateAtStart });
}
