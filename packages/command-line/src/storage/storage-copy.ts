import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { openDatabase } from "@sealhouse/database";
import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { copyStore, exists, openCopyJournal, planCopy } from "@sealhouse/storage-providers";
import type {
  CopyDifference,
  CopySummary,
  ObjectStore,
  StoreCopy,
} from "@sealhouse/storage-providers";
import { createMemoryStore } from "@sealhouse/storage-providers/memory";
import type { StorageConfig } from "@sealhouse/storage-providers/settings";
import type { Config } from "../config.ts";
import type { NamedStore } from "../ports.ts";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";
import { refuseBoth } from "../program-apply.ts";
import type { ApplyOptions } from "../program-apply.ts";

export type StorageCopyOptions = ApplyOptions & {
  readonly from?: string;
  readonly to: string;
  readonly journal?: string;
  readonly concurrency: string;
  readonly json?: true;
};

const CONCURRENCY_MAX = 64;
const REPORT_EVERY_MS = 10_000;
const MIB = 1024 * 1024;

/** `sealhouse storage copy`. Exit codes: 0 the target has all objects, 1 it does not. */
export async function copyStorage(command: Command, options: StorageCopyOptions): Promise<number> {
  refuseBoth(options);
  const concurrency = parseConcurrency(options.concurrency);
  const { config } = command.load();
  const from = await command.registry.findStore(options.from);
  const to = await command.registry.findStore(options.to);
  for (const warning of [...from.warnings, ...to.warnings]) command.stderr(`Warning: ${warning}`);
  await requireFolder(from.config);
  await using opened = new AsyncDisposableStack();
  const isPlan = options.dryRun === true;
  const source = opened.use(await from.open());
  const target = opened.use(await openTarget(to, isPlan));
  const path = journalPath(options, { config, from, to });
  const stores = { from: source, to: target, signal: command.stop };
  if (isPlan && !(await exists(path))) {
    const journal = { has: () => false };
    return printPlan(command, options, await planCopy({ ...stores, journal }));
  }
  await mkdir(dirname(path), { recursive: true });
  const copy = { ...stores, journal: opened.use(await openCopyJournal(path)) };
  if (isPlan) return printPlan(command, options, await planCopy(copy));
  const database = opened.use(
    await openDatabase(config.database, { migrate: config.migrateAtStart }),
  );
  const digestsOf: StoreCopy["digestsOf"] = (keys) => database.blobs.digestsOf(keys);
  const registryId = await database.registryId();
  return await runCopy(command, options, { ...copy, registryId, digestsOf, concurrency });
}

/** A folder that is missing would be opened as an empty store. */
async function requireFolder(config: StorageConfig): Promise<void> {
  if (config.type !== "FileSystem" || (await exists(config.path))) return;
  throw new CommandError(`The source folder ${config.path} does not exist.`);
}

/** A dry run does not create a missing folder. */
async function openTarget(store: NamedStore, isPlan: boolean): Promise<ObjectStore> {
  const { config } = store;
  const isMissing = config.type === "FileSystem" && !(await exists(config.path));
  return isPlan && isMissing ? createMemoryStore() : store.open();
}

type JournalParts = {
  readonly config: Config;
  readonly from: NamedStore;
  readonly to: NamedStore;
};

/** Each pair of stores has its own journal. */
function journalPath({ journal }: StorageCopyOptions, { config, from, to }: JournalParts): string {
  if (journal !== undefined) return resolve(journal);
  const pair = JSON.stringify([from, to].map(addressOf));
  const name = createHash("sha256").update(pair).digest("hex").slice(0, 16);
  return join(config.dataPath, "storage-copy", `${name}.journal`);
}

/** The settings of a store without its secrets. */
function addressOf({ config, extensions }: NamedStore): unknown {
  if (config.type === "FileSystem") return config;
  const { name, values } = config;
  const types = extensions.map(({ storageTypes }) => storageTypes?.[name]?.settings ?? {});
  const secrets = types.flatMap((settings) =>
    Object.entries(settings).flatMap(([key, { secret }]) => (secret ? [key] : [])),
  );
  const shown = Object.entries(values).filter(([key]) => !secrets.includes(key));
  return [name, shown.toSorted(([a], [b]) => (a < b ? -1 : 1))];
}

function printPlan(
  { stdout, stderr }: Command,
  { json }: StorageCopyOptions,
  plan: Awaited<ReturnType<typeof planCopy>>,
): number {
  const { missing, unverified, known } = plan;
  if (json) stdout(JSON.stringify(plan, undefined, 2));
  else {
    stderr(`Would copy ${missing.count} objects, ${missing.bytes} bytes.`);
    stderr(`Would compare the digests of ${unverified.count} objects, ${unverified.bytes} bytes.`);
    stderr(`Verified earlier: ${known.count} objects, ${known.bytes} bytes.`);
  }
  return 0;
}

async function runCopy(
  command: Command,
  options: StorageCopyOptions,
  copy: Omit<StoreCopy, "onDifference">,
): Promise<number> {
  const differences: object[] = [];
  const onDifference = (difference: CopyDifference) => {
    if (options.json) differences.push(withMessage(difference));
    else command.stdout(lineOf(difference));
  };
  try {
    const summary = await copyStore({ ...copy, onDifference, onProgress: progressTo(command) });
    const isComplete = summary.damaged.count === 0 && summary.failed.count === 0;
    if (options.json) {
      command.stdout(
        JSON.stringify({ complete: isComplete, ...summary, differences }, undefined, 2),
      );
    } else for (const line of linesOf(summary)) command.stderr(line);
    return isComplete ? 0 : 1;
  } catch (error) {
    if (!command.stop.aborted) throw error;
    command.stderr("The copy was stopped. Run the command again to continue it.");
    return 1;
  }
}

function withMessage(difference: CopyDifference): object {
  if (difference.problem === "damaged") return difference;
  return { ...difference, error: messageOf(difference.error) };
}

function lineOf(difference: CopyDifference): string {
  const words = [difference.problem, difference.key, `${difference.size} bytes`];
  if (difference.problem === "damaged") return words.join("  ");
  return [...words, `${difference.store}: ${messageOf(difference.error)}`].join("  ");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function linesOf(summary: CopySummary): readonly string[] {
  const { total, copied, verified, known, withoutDigest, gone, damaged, failed } = summary;
  const had = verified.count + known.count;
  return [
    `Source: ${total.count} objects, ${total.bytes} bytes.`,
    `Copied ${copied.count} objects, ${copied.bytes} bytes. The target had ${had} already.`,
    ...(withoutDigest.count > 0 ? [`Copied without a known digest: ${withoutDigest.count}.`] : []),
    ...(gone.count > 0 ? [`Deleted from the source during the copy: ${gone.count}.`] : []),
    `Damaged in the source: ${damaged.count}. Failed: ${failed.count}.`,
  ];
}

function progressTo(command: Command): (summary: CopySummary) => void {
  let reportedAt = Date.now();
  return ({ total, copied, verified, known }) => {
    if (Date.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = Date.now();
    const count = copied.count + verified.count + known.count;
    const bytes = copied.bytes + verified.bytes + known.bytes;
    const mebibytes = `${Math.round(bytes / MIB)} of ${Math.round(total.bytes / MIB)} MiB`;
    command.stderr(`${count} of ${total.count} objects are at the target (${mebibytes})`);
  };
}

function parseConcurrency(text: string): number {
  const number = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= CONCURRENCY_MAX) return number;
  throw new CommandError(`--concurrency must be a whole number from 1 to ${CONCURRENCY_MAX}.`);
}
