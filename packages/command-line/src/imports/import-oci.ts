import { resolve } from "node:path";
import { isTokenSettingError, parsePatterns } from "@sealhouse/identity";
import type { Credentials } from "@sealhouse/oci-distribution/client";
import { openOciClient } from "@sealhouse/oci-distribution/client";
import type {
  ImportProgress,
  OciImportPorts,
  OciImportReport,
  OciSource,
} from "@sealhouse/upstream-sources";
import { importImages, openOciFolder, openOciRegistry } from "@sealhouse/upstream-sources";
import type { Caller } from "@sealhouse/request-types";
import type { Config } from "../config.ts";
import type { RegistryResources } from "../ports.ts";
import { imageFiles } from "@sealhouse/feed";
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

export type ImportOciOptions = ApplyOptions &
  BasicOptions &
  OwnerOption & {
    /** `team/app,team/other`. */
    readonly repositories?: string;
    /** `team/*,tools/**`. */
    readonly pattern?: string;
    /** `1.*,latest`. */
    readonly tags?: string;
    /** Prefix of every name: `mirror`. */
    readonly into?: string;
    readonly untagged?: true;
    readonly moveTags?: true;
    readonly failFast?: true;
    readonly json?: true;
    readonly fromStart?: true;
    readonly concurrency: string;
    readonly cursor?: string;
    /** Name of an environment variable. */
    readonly tokenEnv?: string;
  };

type Import = {
  readonly command: Command;
  readonly config: Config;
  readonly options: ImportOciOptions;
  readonly now: () => Date;
};

/** Exit codes: 0 complete, 1 something was refused, failed or not reached. */
export async function importOci(
  command: Command,
  source: string,
  options: ImportOciOptions,
): Promise<number> {
  refuseBoth(options);
  concurrencyIn(options.concurrency);
  const { config } = command.load();
  const now = () => new Date();
  const run: Import = { command, config, options, now };
  const address = addressIn(source);
  const opened = await withCommandErrors(async () =>
    address ? openRegistry(run, address) : openFolder(source, options),
  );
  await using resources = await command.registry.openResources(now);
  const progress = address && (await openProgress(run, address));
  const caller = await importCaller(resources.database, options);
  const report = await withCommandErrors(() =>
    importFrom(run, opened, { ports: portsOf(resources), progress, caller }),
  );
  printReport(command, report, { source, ...options });
  if (!options.dryRun) await printUnowned(command, resources.database, "oci");
  if (!options.json && !options.dryRun) command.stdout(bytesLine(report));
  return report.isComplete ? 0 : 1;
}

function importFrom(
  { command, config, options, now }: Import,
  source: OciSource,
  parts: {
    readonly ports: OciImportPorts;
    readonly progress: ImportProgress | undefined;
    readonly caller: Caller;
  },
): Promise<OciImportReport> {
  const { ports, progress } = parts;
  const { pattern, tags, into } = options;
  const patterns = pattern === undefined ? undefined : patternsIn(pattern);
  const selection = { source, patterns, tags: tags?.split(","), into, progress };
  return importImages(ports, selection, {
    caller: parts.caller,
    dryRun: options.dryRun ?? false,
    failFast: options.failFast ?? false,
    moveTags: options.moveTags ?? false,
    maxBlobBytes: config.feed.oci.maxBlobBytes,
    signal: command.stop,
    concurrency: concurrencyIn(options.concurrency),
    onProgress: progressTo(command, now),
  });
}

function portsOf({ database, blobs }: RegistryResources): OciImportPorts {
  const { blobs: catalog, manifests, tags } = database.oci;
  return { blobs: catalog, manifests, tags, files: imageFiles(blobs.oci) };
}

/** @throws {CommandError} for an invalid pattern */
function patternsIn(text: string): readonly string[] {
  try {
    return parsePatterns(text);
  } catch (error) {
    if (!isTokenSettingError(error)) throw error;
    throw new CommandError(`--pattern: ${error.message}`);
  }
}

function openFolder(text: string, options: ImportOciOptions): Promise<OciSource> {
  const { repositories, untagged } = options;
  return openOciFolder(resolve(text), { repositories, withUntagged: untagged ?? false });
}

function openRegistry({ command, config, options }: Import, address: URL): OciSource {
  const outgoing = openOutgoingFetch(config.host);
  const client = openOciClient({
    registry: address,
    fetch: (url, init) => outgoing(url, init),
    credentials: credentialsOf(options, command.env),
  });
  const names = options.repositories?.split(",").map((name) => name.trim());
  const namespace = address.pathname.replaceAll(/^\/+|\/+$/g, "");
  return openOciRegistry(client, { namespace, names });
}

function credentialsOf(options: ImportOciOptions, env: Command["env"]): Credentials | undefined {
  const { tokenEnv } = options;
  if (tokenEnv !== undefined) return { type: "bearer", token: secretIn(env, tokenEnv) };
  return basicCredentials(options, env);
}

/** Returns undefined for a dry run, which must not write, and for named repositories, which are
 * always compared. */
async function openProgress(
  { config, options, now }: Import,
  { href }: URL,
): Promise<ImportProgress | undefined> {
  if (options.dryRun || options.repositories !== undefined) return undefined;
  const { pattern = "", tags = "", into = "" } = options;
  const source = [href, pattern, tags, into].join(" ").trim();
  const { cursor, fromStart } = options;
  const { dataPath } = config;
  return importProgress(source, { protocol: "oci", dataPath, cursor, fromStart, now });
}

const MIB = 1024 * 1024;

function bytesLine({ bytes }: OciImportReport): string {
  const shown = (number: number) => `${(number / MIB).toFixed(1)} MiB`;
  return `${shown(bytes.moved)} copied, ${shown(bytes.skipped)} already present`;
}
