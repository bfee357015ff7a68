import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { TokenSettingError, coversName, parsePatterns } from "@sealhouse/identity";
import type { Credentials } from "@sealhouse/oci-distribution/client";
import { openOciClient } from "@sealhouse/oci-distribution/client";
import { createOutgoingFetch } from "../http/outgoing-fetch.ts";
import type { ImportProgress } from "../import/import-progress.ts";
import { layoutFolder } from "../import/oci/layout-folder.ts";
import type { OciSource } from "../import/oci/oci-source.ts";
import { registryRepositories } from "../import/oci/registry-repositories.ts";
import type { OciImportPorts, OciImportReport } from "../import/oci/run-oci-import.ts";
import { runOciImport } from "../import/oci/run-oci-import.ts";
import { findStorage, storageFolder } from "../import/oci/storage-folder.ts";
import { createLog } from "../log.ts";
import type { Config } from "../settings/config.ts";
import type { Holdings } from "../wiring/holdings.ts";
import { openHoldings } from "../wiring/holdings.ts";
import { ociFiles } from "../wiring/oci-files.ts";
import { addressIn, basicCredentials, importProgress, secretIn } from "./import-source.ts";
import type { BasicOptions } from "./import-source.ts";
import { operator } from "./operator.ts";
import { CommandError } from "./run.ts";
import type { Command } from "./run.ts";
import { askSource, concurrencyIn, progressTo, tellReport } from "./tell-import.ts";

export type ImportOciOptions = BasicOptions & {
  /** `team/app,team/other`. */
  readonly repositories?: string;
  /** `team/*,tools/**`. */
  readonly pattern?: string;
  /** `1.*,latest`. */
  readonly tags?: string;
  /** Put before every name: `mirror`. */
  readonly into?: string;
  readonly untagged?: true;
  readonly moveTags?: true;
  readonly dryRun?: true;
  readonly failFast?: true;
  readonly json?: true;
  readonly fromStart?: true;
  readonly concurrency: string;
  readonly cursor?: string;
  /** The name of an environment variable. */
  readonly tokenEnv?: string;
};

type Import = {
  readonly command: Command;
  readonly config: Config;
  readonly wanted: ImportOciOptions;
  readonly now: () => Date;
};

/** Exit codes: 0 all is here now, 1 something was refused or failed or is left to do. */
export async function importOci(
  command: Command,
  source: string,
  wanted: ImportOciOptions,
): Promise<number> {
  concurrencyIn(wanted.concurrency);
  const { config } = command.load();
  const log = createLog(config.host.log, (line) => command.tell(line.trimEnd()));
  const now = () => new Date();
  const run: Import = { command, config, wanted, now };
  const address = addressIn(source);
  const from = await askSource(async () =>
    address ? openRegistry(run, address) : openFolder(source, wanted),
  );
  await using held = await openHoldings(config, { log, extensions: command.extensions, now });
  const progress = address && (await openProgress(run, address));
  const report = await askSource(() => takeAll(run, from, { ports: portsOf(held), progress }));
  await (report.failed === 0 && !report.isInterrupted
    ? progress?.finish(undefined)
    : progress?.save());
  tellReport(command, report, { source, ...wanted });
  if (!wanted.json && !wanted.dryRun) command.print(bytesLine(report));
  return report.isComplete ? 0 : 1;
}

function takeAll(
  { command, config, wanted, now }: Import,
  source: OciSource,
  given: { readonly ports: OciImportPorts; readonly progress: ImportProgress | undefined },
): Promise<OciImportReport> {
  const { ports, progress } = given;
  const covers = namesIn(wanted.pattern);
  return runOciImport(ports, source, {
    caller: operator(),
    dryRun: wanted.dryRun ?? false,
    failFast: wanted.failFast ?? false,
    moveTags: wanted.moveTags ?? false,
    maxBlobBytes: config.feed.oci.maxBlobBytes,
    signal: command.stop,
    concurrency: concurrencyIn(wanted.concurrency),
    nameHere: (name) => (covers(name) ? below(wanted.into, name) : undefined),
    wantsTag: tagsIn(wanted.tags),
    isDone: (name) => progress?.isDone(name) === true,
    onDone: (name) => progress?.markDone(name),
    onProgress: progressTo(command, now),
  });
}

function portsOf({ database, blobs }: Holdings): OciImportPorts {
  const { blobs: catalog, manifests, tags } = database.oci;
  return { blobs: catalog, manifests, tags, files: ociFiles(blobs.oci) };
}

function below(prefix: string | undefined, name: string): string {
  return prefix === undefined ? name : `${prefix}/${name}`;
}

/** @throws {CommandError} for what is no pattern */
function namesIn(text: string | undefined): (name: string) => boolean {
  if (text === undefined) return () => true;
  const patterns = patternsIn(text);
  return (name) => patterns.some((pattern) => coversName(pattern, "oci", name));
}

function patternsIn(text: string): readonly string[] {
  try {
    return parsePatterns(text);
  } catch (error) {
    if (!(error instanceof TokenSettingError)) throw error;
    throw new CommandError(`--pattern: ${error.message}`);
  }
}

/** `*` stands for any text. */
function tagsIn(text: string | undefined): (tag: string) => boolean {
  if (text === undefined) return () => true;
  const patterns = text.split(",").map((one) => {
    const parts = one.trim().split("*");
    return new RegExp(`^${parts.map((part) => RegExp.escape(part)).join(".*")}$`);
  });
  return (tag) => patterns.some((pattern) => pattern.test(tag));
}

async function openFolder(text: string, wanted: ImportOciOptions): Promise<OciSource> {
  const root = resolve(text);
  const isFile = async (name: string) =>
    (await stat(join(root, name)).catch(() => undefined))?.isFile() === true;
  if (await isFile("oci-layout")) return layoutFolder(root, wanted.repositories);
  const storage = await findStorage(root);
  if (!storage) {
    throw new CommandError(
      `${root} is neither an OCI layout nor the storage folder of a registry. ` +
        "A registry is an http or https address.",
    );
  }
  const named = wanted.repositories?.split(",").map((name) => name.trim());
  const all = storageFolder(storage, { withUntagged: wanted.untagged ?? false });
  return named ? only(all, new Set(named)) : all;
}

function only(source: OciSource, names: ReadonlySet<string>): OciSource {
  return {
    async *repositories(signal) {
      for await (const one of source.repositories(signal)) if (names.has(one.name)) yield one;
    },
  };
}

function openRegistry({ command, config, wanted }: Import, address: URL): OciSource {
  const allowPrivate = config.host.allowPrivateAddresses;
  const outgoing = createOutgoingFetch({ allowPrivate });
  const client = openOciClient({
    registry: address,
    fetch: (url, init) => outgoing(url, init),
    credentials: credentialsOf(wanted, command.env),
  });
  const named = wanted.repositories?.split(",").map((name) => name.trim());
  const namespace = address.pathname.replaceAll(/^\/+|\/+$/g, "");
  return registryRepositories(client, { namespace, named });
}

function credentialsOf(wanted: ImportOciOptions, env: Command["env"]): Credentials | undefined {
  const { tokenEnv } = wanted;
  if (tokenEnv !== undefined) return { type: "bearer", token: secretIn(env, tokenEnv) };
  return basicCredentials(wanted, env);
}

/** None for a dry run, which must leave nothing behind, and for repositories that are named, which
 * are looked at whatever was done before. */
async function openProgress(
  { config, wanted, now }: Import,
  { href }: URL,
): Promise<ImportProgress | undefined> {
  if (wanted.dryRun || wanted.repositories !== undefined) return undefined;
  const { pattern = "", tags = "", into = "" } = wanted;
  const source = [href, pattern, tags, into].join(" ").trim();
  const { cursor, fromStart } = wanted;
  const { dataPath } = config;
  return importProgress(source, { protocol: "oci", dataPath, cursor, fromStart, now });
}

const MIB = 1024 * 1024;

function bytesLine({ bytes }: OciImportReport): string {
  const shown = (number: number) => `${(number / MIB).toFixed(1)} MiB`;
  return `${shown(bytes.moved)} copied, ${shown(bytes.skipped)} here already`;
}
