import { resolve } from "node:path";
import type { Credentials, NuGetClient } from "@sealhouse/nuget-protocol/client";
import { openNuGetClient } from "@sealhouse/nuget-protocol/client";
import type {
  ImportProgress,
  ImportReport,
  NuGetImportOptions,
  NuGetImportPorts,
} from "@sealhouse/upstream-sources";
import { importNuGetFeed, importNuGetFolder } from "@sealhouse/upstream-sources";
import type { Config } from "../config.ts";
import type { RegistryResources } from "../ports.ts";
import { addressIn, basicCredentials, importProgress, secretIn } from "./import-source.ts";
import type { BasicOptions } from "./import-source.ts";
import { importCaller, printUnowned } from "./import-owner.ts";
import type { OwnerOption } from "./import-owner.ts";
import { refuseBoth } from "../program-apply.ts";
import type { ApplyOptions } from "../program-apply.ts";
import { concurrencyIn, printReport, progressTo, withCommandErrors } from "./print-import.ts";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";
import { openOutgoingFetch } from "@sealhouse/http-server";

export type ImportNuGetOptions = ApplyOptions &
  BasicOptions &
  OwnerOption & {
    readonly json?: true;
    readonly mirrored?: true;
    readonly fromStart?: true;
    readonly symbols?: true;
    readonly concurrency: string;
    readonly ids?: string;
    readonly cursor?: string;
    /** Name of an environment variable. */
    readonly apiKeyEnv?: string;
  };

type Import = {
  readonly command: Command;
  readonly config: Config;
  readonly ports: NuGetImportPorts;
  readonly commandOptions: ImportNuGetOptions;
  readonly options: NuGetImportOptions;
};

/** Exit codes: 0 complete, 1 something was refused, failed or not reached. */
export async function importNuGet(
  command: Command,
  source: string,
  commandOptions: ImportNuGetOptions,
): Promise<number> {
  refuseBoth(commandOptions);
  const concurrency = concurrencyIn(commandOptions.concurrency);
  const { config } = command.load();
  if (commandOptions.mirrored && commandOptions.owner !== undefined) {
    throw new CommandError("--mirrored and --owner exclude each other: copies have no owner here.");
  }
  const now = () => new Date();
  await using resources = await command.registry.openResources(now);
  const options: NuGetImportOptions = {
    caller: await importCaller(resources.database, commandOptions),
    now,
    origin: commandOptions.mirrored ? "Mirrored" : "Published",
    dryRun: commandOptions.dryRun ?? false,
    maxBytes: config.feed.nuget.maxPackageBytes,
    signal: command.stop,
    concurrency,
    onProgress: progressTo(command, now),
  };
  const run = { command, config, ports: portsOf(resources), commandOptions, options };
  const address = addressIn(source);
  const report = await withCommandErrors(() =>
    address
      ? importFeed(run, serviceIndexOf(address))
      : importNuGetFolder(run.ports, resolve(source), options),
  );
  printReport(command, report, { source, ...commandOptions });
  if (!options.dryRun && !commandOptions.mirrored) {
    await printUnowned(command, resources.database, "nuget");
  }
  return report.isComplete ? 0 : 1;
}

function portsOf({ database, blobs, signing }: RegistryResources): NuGetImportPorts {
  const { lookup, recorder, symbols } = database.nuget;
  return { files: blobs.nuget, lookup, recorder, sealer: signing, symbols };
}

async function importFeed(run: Import, source: URL): Promise<ImportReport> {
  const { command, commandOptions, ports, options } = run;
  const feed = {
    client: openFeed(run, source),
    idFile: commandOptions.ids,
    withSymbols: commandOptions.symbols ?? false,
    progress: await openProgress(run, source),
    onNotice: (text: string) => command.stderr(text),
  };
  return importNuGetFeed(ports, feed, options);
}

function openFeed({ command, config, commandOptions }: Import, source: URL): NuGetClient {
  const outgoing = openOutgoingFetch(config.host);
  return openNuGetClient({
    source,
    fetch: (url, init) => outgoing(url, init),
    credentials: credentialsOf(commandOptions, command.env),
  });
}

/** Adds the usual path of the service index to the address of a host. */
function serviceIndexOf(address: URL): URL {
  return address.pathname === "/" ? new URL("/v3/index.json", address) : address;
}

function credentialsOf(
  commandOptions: ImportNuGetOptions,
  env: Command["env"],
): Credentials | undefined {
  const { apiKeyEnv } = commandOptions;
  if (apiKeyEnv !== undefined) return { type: "api-key", key: secretIn(env, apiKeyEnv) };
  return basicCredentials(commandOptions, env);
}

/** Returns undefined for a dry run, which must not write, and for a list of ids, which is complete
 * by itself. */
async function openProgress(
  { config, commandOptions, options }: Import,
  { href }: URL,
): Promise<ImportProgress | undefined> {
  if (options.dryRun || commandOptions.ids !== undefined) return undefined;
  const { cursor, fromStart } = commandOptions;
  const { dataPath } = config;
  const { now } = options;
  return importProgress(href, { protocol: "nuget", dataPath, cursor, fromStart, now });
}
