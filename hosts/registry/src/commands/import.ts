import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Credentials, NuGetClient } from "@sealhouse/nuget-protocol/client";
import { openNuGetClient } from "@sealhouse/nuget-protocol/client";
import { createOutgoingFetch } from "../http/outgoing-fetch.ts";
import { feedGroup } from "../import/feed-source.ts";
import type { FoundIds } from "../import/feed-ids.ts";
import { idsInFile, idsOfFeed } from "../import/feed-ids.ts";
import { folderGroups } from "../import/folder-source.ts";
import type { ImportProgress } from "../import/import-progress.ts";
import type { ImportReport } from "../import/report.ts";
import type { ImportOptions } from "../import/run-import.ts";
import { runImport } from "../import/run-import.ts";
import type { TakePorts } from "../import/take.ts";
import { createLog } from "../log.ts";
import type { Config } from "../settings/config.ts";
import { openHoldings } from "../wiring/holdings.ts";
import type { Holdings } from "../wiring/holdings.ts";
import { addressIn, basicCredentials, importProgress, secretIn } from "./import-source.ts";
import type { BasicOptions } from "./import-source.ts";
import { operator } from "./operator.ts";
import { CommandError } from "./run.ts";
import type { Command } from "./run.ts";
import { askSource, concurrencyIn, progressTo, tellReport } from "./tell-import.ts";

export type ImportNuGetOptions = BasicOptions & {
  readonly dryRun?: true;
  readonly json?: true;
  readonly mirrored?: true;
  readonly fromStart?: true;
  readonly symbols?: true;
  readonly concurrency: string;
  readonly ids?: string;
  readonly cursor?: string;
  /** The name of an environment variable. */
  readonly apiKeyEnv?: string;
};

type Import = {
  readonly command: Command;
  readonly config: Config;
  readonly ports: TakePorts;
  readonly wanted: ImportNuGetOptions;
  readonly options: ImportOptions;
};

/** Exit codes: 0 all is here now, 1 something was refused or failed or is left to do. */
export async function importNuGet(
  command: Command,
  source: string,
  wanted: ImportNuGetOptions,
): Promise<number> {
  const concurrency = concurrencyIn(wanted.concurrency);
  const { config } = command.load();
  const log = createLog(config.host.log, (line) => command.tell(line.trimEnd()));
  const { extensions } = command;
  const now = () => new Date();
  await using held = await openHoldings(config, { log, extensions, now });
  const options: ImportOptions = {
    caller: operator(),
    now,
    origin: wanted.mirrored ? "Mirrored" : "Published",
    dryRun: wanted.dryRun ?? false,
    maxBytes: config.feed.nuget.maxPackageBytes,
    signal: command.stop,
    concurrency,
    onProgress: progressTo(command, now),
  };
  const run = { command, config, ports: portsOf(held), wanted, options };
  const address = addressIn(source);
  const report = await (address ? importFeed(run, address) : importFolder(run, source));
  tellReport(command, report, { source, ...wanted });
  return report.isComplete ? 0 : 1;
}

function portsOf({ database, blobs, signing }: Holdings): TakePorts {
  const { lookup, recorder, symbols } = database.nuget;
  return { files: blobs.nuget, lookup, recorder, sealer: signing.sealer, symbols };
}

async function importFolder({ ports, options }: Import, folder: string): Promise<ImportReport> {
  const root = resolve(folder);
  const found = await stat(root).catch(() => undefined);
  if (!found?.isDirectory()) {
    throw new CommandError(`There is no folder ${root}. A feed is an http or https address.`);
  }
  const passes = [folderGroups(root, "package"), folderGroups(root, "symbols")];
  return runImport(ports, passes, options);
}

async function importFeed(run: Import, address: URL): Promise<ImportReport> {
  const { command, wanted, ports, options } = run;
  const source = serviceIndexOf(address);
  const client = openFeed(run, source);
  const progress = await openProgress(run, source);
  const found = await askSource(() =>
    wanted.ids === undefined
      ? idsOfFeed(client, { after: progress?.cursor, signal: options.signal })
      : idsInFile(wanted.ids),
  );
  for (const remark of found.remarks) command.tell(remark);
  const left = found.ids.filter((id) => progress?.isDone(id) !== true);
  command.tell(`${left.length} packages to look at.`);
  const withSymbols = wanted.symbols ?? false;
  const groups = left.map((id) => {
    const done = () => progress?.markDone(id);
    return feedGroup({ client, lookup: ports.lookup }, id, { withSymbols, done });
  });
  const report = await runImport(ports, [inOrder(groups)], options);
  await keepProgress(progress, found, report);
  return report;
}

function openFeed({ command, config, wanted }: Import, source: URL): NuGetClient {
  const allowPrivate = config.host.allowPrivateAddresses;
  const outgoing = createOutgoingFetch({ allowPrivate });
  return openNuGetClient({
    source,
    fetch: (url, init) => outgoing(url, init),
    credentials: credentialsOf(wanted, command.env),
  });
}

/** A host alone has its service index where everybody has it. */
function serviceIndexOf(address: URL): URL {
  return address.pathname === "/" ? new URL("/v3/index.json", address) : address;
}

function credentialsOf(wanted: ImportNuGetOptions, env: Command["env"]): Credentials | undefined {
  const { apiKeyEnv } = wanted;
  if (apiKeyEnv !== undefined) return { type: "api-key", key: secretIn(env, apiKeyEnv) };
  return basicCredentials(wanted, env);
}

async function keepProgress(
  progress: ImportProgress | undefined,
  { cursor }: FoundIds,
  { failed, isInterrupted }: ImportReport,
): Promise<void> {
  if (failed === 0 && !isInterrupted) await progress?.finish(cursor);
  else await progress?.save();
}

/** None for a dry run, which must leave nothing behind, and for a list, which is its own. */
async function openProgress(
  { config, wanted, options }: Import,
  { href }: URL,
): Promise<ImportProgress | undefined> {
  if (options.dryRun || wanted.ids !== undefined) return undefined;
  const { cursor, fromStart } = wanted;
  const { dataPath } = config;
  const { now } = options;
  return importProgress(href, { protocol: "nuget", dataPath, cursor, fromStart, now });
}

async function* inOrder<T>(items: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* items;
}
