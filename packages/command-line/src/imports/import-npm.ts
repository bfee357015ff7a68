import { resolve } from "node:path";
import type { NpmCredentials } from "@sealhouse/npm-protocol/client";
import { openNpmClient } from "@sealhouse/npm-protocol/client";
import type {
  ChoiceOptions,
  ImportProgress,
  ImportReport,
  NpmImportPorts,
  NpmSource,
  PackageChoice,
} from "@sealhouse/upstream-sources";
import {
  importNpmPackages,
  openNpmFolder,
  openNpmRegistry,
  parsePackageChoice,
} from "@sealhouse/upstream-sources";
import type { Caller } from "@sealhouse/request-types";
import type { Config } from "../config.ts";
import { addressIn, basicCredentials, importProgress, secretIn } from "./import-source.ts";
import type { BasicOptions } from "./import-source.ts";
import { importCaller, printUnowned } from "./import-owner.ts";
import type { OwnerOption } from "./import-owner.ts";
import { refuseBoth } from "../program-apply.ts";
import type { ApplyOptions } from "../program-apply.ts";
import { concurrencyIn, printReport, progressTo, withCommandErrors } from "./print-import.ts";
import type { Command } from "../command.ts";
import { openOutgoingFetch } from "@sealhouse/http-server";

export type ImportNpmOptions = ApplyOptions &
  ChoiceOptions &
  BasicOptions &
  OwnerOption & {
    readonly json?: true;
    readonly fromStart?: true;
    readonly failFast?: true;
    /** For a folder: imports packages that Verdaccio cached, too. */
    readonly copies?: true;
    readonly concurrency: string;
    readonly cursor?: string;
    /** Name of an environment variable. */
    readonly tokenEnv?: string;
  };

type Import = {
  readonly command: Command;
  readonly config: Config;
  readonly ports: NpmImportPorts;
  readonly options: ImportNpmOptions;
  readonly choice: PackageChoice;
  readonly caller: Caller;
  readonly now: () => Date;
};

/** Exit codes: 0 complete, 1 something was refused, failed or not reached. */
export async function importNpm(
  command: Command,
  source: string,
  options: ImportNpmOptions,
): Promise<number> {
  refuseBoth(options);
  concurrencyIn(options.concurrency);
  const { config } = command.load();
  const choice = await withCommandErrors(() => parsePackageChoice(options));
  const now = () => new Date();
  const { trustedRoot } = config.feed.npm;
  const verifyBundle = await command.registry.openBundleVerification(trustedRoot);
  await using resources = await command.registry.openResources(now);
  const { database, blobs, npmSignatures } = resources;
  const { lookup, lifecycle, owners } = database.npm;
  const { recorder } = npmSignatures;
  const ports = { lookup, lifecycle, owners, recorder, files: blobs.npm, verifyBundle };
  const caller = await importCaller(database, options);
  const run = { command, config, ports, options, choice, caller, now };
  const report = await withCommandErrors(() => importFrom(run, source));
  printReport(command, report, { source, ...options });
  if (!options.dryRun) await printUnowned(command, database, "npm");
  return report.isComplete ? 0 : 1;
}

async function importFrom(run: Import, text: string): Promise<ImportReport> {
  const { command, config, options, choice, now } = run;
  const address = addressIn(text);
  const source = address
    ? openRegistry(run, address)
    : await openNpmFolder(resolve(text), options.copies ?? false);
  const progress = address && (await openProgress(run, address));
  const onNotice = (notice: string) => command.stderr(notice);
  return importNpmPackages(
    run.ports,
    { source, choice, progress, onNotice },
    {
      caller: run.caller,
      now,
      dryRun: options.dryRun ?? false,
      failFast: options.failFast ?? false,
      maxBytes: config.feed.npm.maxTarballBytes ?? Number.MAX_SAFE_INTEGER,
      signal: command.stop,
      concurrency: concurrencyIn(options.concurrency),
      onProgress: progressTo(command, now),
    },
  );
}

function openRegistry({ command, config, options, choice }: Import, registry: URL): NpmSource {
  const outgoing = openOutgoingFetch(config.host);
  const client = openNpmClient({
    registry,
    fetch: (url, init) => outgoing(url, init),
    credentials: credentialsOf(options, command.env),
  });
  return openNpmRegistry(client, choice.scopes);
}

function credentialsOf(options: ImportNpmOptions, env: Command["env"]): NpmCredentials | undefined {
  const { tokenEnv } = options;
  if (tokenEnv !== undefined) return { type: "bearer", token: secretIn(env, tokenEnv) };
  return basicCredentials(options, env);
}

/** Returns undefined for a dry run, which must not write, and for named packages, which are always
 * compared. */
async function openProgress(
  { config, options, choice, now }: Import,
  { href }: URL,
): Promise<ImportProgress | undefined> {
  if (options.dryRun || choice.names) return undefined;
  const source = [href, options.pattern ?? ""].join(" ").trim();
  const { cursor, fromStart } = options;
  const { dataPath } = config;
  return importProgress(source, { protocol: "npm", dataPath, cursor, fromStart, now });
}
