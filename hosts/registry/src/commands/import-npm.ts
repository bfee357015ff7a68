import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { NpmCredentials } from "@sealhouse/npm-protocol/client";
import { openNpmClient } from "@sealhouse/npm-protocol/client";
import { createOutgoingFetch } from "../http/outgoing-fetch.ts";
import type { ImportProgress } from "../import/import-progress.ts";
import type { FoundNames, NpmSource } from "../import/npm/npm-source.ts";
import type { ChoiceOptions, PackageChoice } from "../import/npm/package-choice.ts";
import { chosenPackages } from "../import/npm/package-choice.ts";
import { registrySource } from "../import/npm/registry-source.ts";
import { runNpmImport } from "../import/npm/run-npm-import.ts";
import type { TakeNpmPorts } from "../import/npm/take-package.ts";
import { verdaccioFolder } from "../import/npm/verdaccio-folder.ts";
import type { ImportReport } from "../import/report.ts";
import { createLog } from "../log.ts";
import type { Config } from "../settings/config.ts";
import { openHoldings } from "../wiring/holdings.ts";
import { openBundleVerification } from "../wiring/npm-provenance.ts";
import { addressIn, basicCredentials, importProgress, secretIn } from "./import-source.ts";
import type { BasicOptions } from "./import-source.ts";
import { operator } from "./operator.ts";
import { CommandError } from "./run.ts";
import type { Command } from "./run.ts";
import { askSource, concurrencyIn, progressTo, tellReport } from "./tell-import.ts";

export type ImportNpmOptions = ChoiceOptions &
  BasicOptions & {
    readonly dryRun?: true;
    readonly json?: true;
    readonly fromStart?: true;
    readonly failFast?: true;
    /** A folder: what is only a copy of another registry's, too. */
    readonly copies?: true;
    readonly concurrency: string;
    readonly cursor?: string;
    /** The name of an environment variable. */
    readonly tokenEnv?: string;
  };

type Import = {
  readonly command: Command;
  readonly config: Config;
  readonly ports: TakeNpmPorts;
  readonly wanted: ImportNpmOptions;
  readonly choice: PackageChoice;
  readonly now: () => Date;
};

/** Exit codes: 0 all is here now, 1 something was refused or failed or is left to do. */
export async function importNpm(
  command: Command,
  source: string,
  wanted: ImportNpmOptions,
): Promise<number> {
  concurrencyIn(wanted.concurrency);
  const { config } = command.load();
  const choice = await askSource(() => chosenPackages(wanted));
  const log = createLog(config.host.log, (line) => command.tell(line.trimEnd()));
  const now = () => new Date();
  const { trustedRoot } = config.feed.npm;
  const verifyBundle = await openBundleVerification(trustedRoot);
  await using held = await openHoldings(config, { log, extensions: command.extensions, now });
  const { database, blobs, npmSignatures } = held;
  const { lookup, lifecycle, owners } = database.npm;
  const { recorder } = npmSignatures;
  const ports = { lookup, lifecycle, owners, recorder, files: blobs.npm, verifyBundle };
  const run = { command, config, ports, wanted, choice, now };
  const report = await importFrom(run, source);
  tellReport(command, report, { source, ...wanted });
  return report.isComplete ? 0 : 1;
}

async function importFrom(run: Import, text: string): Promise<ImportReport> {
  const { command, wanted, choice, now } = run;
  const address = addressIn(text);
  const source = address ? openRegistry(run, address) : await openFolder(text, wanted);
  const progress = address && (await openProgress(run, address));
  const found = await askSource(() => namesIn(source, choice, command.stop));
  for (const remark of found.remarks) command.tell(remark);
  const covered = found.names.filter((name) => choice.covers(name));
  const names = covered.filter((name) => progress?.isDone(name) !== true);
  command.tell(`${names.length} packages to look at.`);
  const report = await runNpmImport(
    run.ports,
    { source, names },
    {
      caller: operator(),
      now,
      dryRun: wanted.dryRun ?? false,
      failFast: wanted.failFast ?? false,
      maxBytes: run.config.feed.npm.maxTarballBytes ?? Number.MAX_SAFE_INTEGER,
      signal: command.stop,
      concurrency: concurrencyIn(wanted.concurrency),
      includes: (name, version) => choice.includes(name, version),
      onProgress: progressTo(command, now),
      onDone: (name) => progress?.markDone(name),
    },
  );
  await (report.failed === 0 && !report.isInterrupted
    ? progress?.finish(undefined)
    : progress?.save());
  return report;
}

async function namesIn(
  source: NpmSource,
  { named }: PackageChoice,
  signal: AbortSignal,
): Promise<FoundNames> {
  return named ? { names: named, remarks: [] } : source.names(signal);
}

async function openFolder(text: string, { copies }: ImportNpmOptions): Promise<NpmSource> {
  const root = resolve(text);
  const found = await stat(root).catch(() => undefined);
  if (found?.isDirectory()) return verdaccioFolder(root, copies ?? false);
  throw new CommandError(`There is no folder ${root}. A registry is an http or https address.`);
}

function openRegistry({ command, config, wanted, choice }: Import, registry: URL): NpmSource {
  const allowPrivate = config.host.allowPrivateAddresses;
  const outgoing = createOutgoingFetch({ allowPrivate });
  const client = openNpmClient({
    registry,
    fetch: (url, init) => outgoing(url, init),
    credentials: credentialsOf(wanted, command.env),
  });
  return registrySource(client, choice.scopes);
}

function credentialsOf(wanted: ImportNpmOptions, env: Command["env"]): NpmCredentials | undefined {
  const { tokenEnv } = wanted;
  if (tokenEnv !== undefined) return { type: "bearer", token: secretIn(env, tokenEnv) };
  return basicCredentials(wanted, env);
}

/** None for a dry run, which must leave nothing behind, and for packages that are named, which are
 * looked at whatever was done before. */
async function openProgress(
  { config, wanted, choice, now }: Import,
  { href }: URL,
): Promise<ImportProgress | undefined> {
  if (wanted.dryRun || choice.named) return undefined;
  const source = [href, wanted.pattern ?? ""].join(" ").trim();
  const { cursor, fromStart } = wanted;
  const { dataPath } = config;
  return importProgress(source, { protocol: "npm", dataPath, cursor, fromStart, now });
}
