import { basename } from "node:path";
import { openDatabase } from "@sealhouse/database";
import type { Database } from "@sealhouse/database";
import { isPackageId, lowerId, lowerVersion } from "@sealhouse/nuget-protocol";
import { packageFileBytes, verifyPackage } from "@sealhouse/repo-signing";
import type { VerifyOptions } from "@sealhouse/repo-signing";
import { createBlobStore } from "@sealhouse/storage-providers";
import { openStorage } from "../wiring/storage.ts";
import type { Command } from "./command.ts";
import { CommandError } from "./command.ts";
import type { VerifyReport } from "./verify-report.ts";
import { reportOf, textOf } from "./verify-report.ts";
import type { StoredContext } from "./verify-stored.ts";
import { verifyStored } from "./verify-stored.ts";
import type { NamedRoots } from "./verify-trust.ts";
import { readNamedRoots, TrustFileError, trustForFiles, trustForStored } from "./verify-trust.ts";

export type VerifyCommandOptions = {
  readonly all?: true;
  readonly trust: readonly string[];
  readonly timestampTrust: readonly string[];
  readonly json?: true;
};

const USAGE = 2;
const IDS_PER_PAGE = 200;
const PROGRESS_EVERY_MS = 5_000;

/** 0 when every package is valid, 1 when one is not, 2 when the words make no sense. */
export async function verifyPackages(
  command: Command,
  named: readonly string[],
  options: VerifyCommandOptions,
): Promise<number> {
  const isStored = options.all === true || isIdAndVersion(named);
  if ((named.length === 0) !== (options.all === true)) {
    command.tell("Name package files, or an id and a version, or say --all.");
    return USAGE;
  }
  try {
    const roots = await readNamedRoots(options);
    return await (isStored ? overFeed : overFiles)(command, { named, options, roots });
  } catch (error) {
    if (!(error instanceof TrustFileError)) throw error;
    command.tell(error.message);
    return USAGE;
  }
}

type Asked = {
  readonly named: readonly string[];
  readonly options: VerifyCommandOptions;
  readonly roots: NamedRoots;
};

/** Two words of which the second is a version; a file that is called so is named with a `./`. */
function isIdAndVersion(named: readonly string[]): boolean {
  const [id = "", version = "", ...more] = named;
  return more.length === 0 && isPackageId(id) && lowerVersion(version) !== undefined;
}

async function overFiles(command: Command, { named, options, roots }: Asked): Promise<number> {
  const trust = await trustForFiles(roots, command.env["PATH"] ?? "");
  if (!options.json) command.tell(trust.says);
  const output = createOutput(command, options, { showsAll: true });
  for (const path of named) output.add(await verifyFile(path, trust.options));
  return output.end();
}

async function verifyFile(path: string, options: VerifyOptions): Promise<VerifyReport> {
  try {
    await using file = await packageFileBytes(path, { lend: true });
    return reportOf(path, await verifyPackage(file, options));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const message = `${basename(path)} cannot be read (${error.code}).`;
    return reportOf(path, undefined, { errors: [{ code: "UNREADABLE", message }] });
  }
}

function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && "syscall" in error && "code" in error;
}

/** Changes nothing, so it may run beside a host: it does not migrate, sign or count. */
async function overFeed(command: Command, { named, options, roots }: Asked): Promise<number> {
  const { config } = command.load();
  await using database = await openDatabase(config.database, { migrate: false });
  await using store = await openStorage(config.storage, command.extensions);
  const context: StoredContext = {
    blobs: createBlobStore(store, { prefix: "nuget" }),
    options: trustForStored(roots, await database.certificates.list()),
    isSigning: config.signing.mode !== "off",
  };
  const output = createOutput(command, options, { showsAll: options.all !== true });
  const versions = options.all ? everyVersion(database) : [oneVersion(named)];
  for await (const version of versions) {
    if (command.stop.aborted) throw new CommandError("Stopped before every version was verified.");
    const report = await verifyVersion(database, version, context);
    if (report) output.add(report);
    else if (!options.all) throw new CommandError(`There is no ${named.join(" ")}.`);
  }
  return output.end();
}

type Version = { readonly id: string; readonly version: string };

function oneVersion([id = "", version = ""]: readonly string[]): Version {
  return { id: lowerId(id), version: lowerVersion(version) ?? version };
}

async function* everyVersion({ nuget }: Database): AsyncGenerator<Version> {
  for (let after = ""; ;) {
    const ids = await nuget.ids.page(after, IDS_PER_PAGE);
    for (const id of ids) {
      for (const { version } of await nuget.lookup.summaries(id)) {
        yield { id, version: version.toLowerCase() };
      }
    }
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** Undefined when there is none (any more). */
async function verifyVersion(
  { nuget }: Database,
  { id, version }: Version,
  context: StoredContext,
): Promise<VerifyReport | undefined> {
  const verifyNow = async (): Promise<VerifyReport | undefined> => {
    const stored = await nuget.lookup.find(id, version);
    return stored && verifyStored(stored, await nuget.provenance.find(id, version), context);
  };
  const report = await verifyNow();
  // A host that runs beside may have deleted, overwritten or signed it meanwhile: look again.
  return report?.valid === false ? verifyNow() : report;
}

/** `NU3027 (12), NU3018 (1)` */
function tallyOf(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([code, count]) => `${code} (${count})`).join(", ");
}

/** Prints reports as they come, so that memory does not grow with their number. */
function createOutput(
  { print, tell }: Command,
  { json, all }: VerifyCommandOptions,
  { showsAll }: { readonly showsAll: boolean },
): { add(report: VerifyReport): void; end(): number } {
  const count = { valid: 0, invalid: 0 };
  const warnings = new Map<string, number>();
  let held: string | undefined;
  let toldAt = performance.now();
  const summary = () => {
    const { valid, invalid } = count;
    const warned = warnings.size > 0 ? ` Warnings: ${tallyOf(warnings)}.` : "";
    return `Verified ${valid + invalid}: ${valid} valid, ${invalid} not.${warned}`;
  };
  const flush = (end: string) => {
    if (held !== undefined) print(`${held}${end}`);
    held = undefined;
  };
  if (json) print("[");
  return {
    add(report) {
      count[report.valid ? "valid" : "invalid"] += 1;
      for (const { code } of report.warnings) warnings.set(code, (warnings.get(code) ?? 0) + 1);
      if (json) {
        flush(",");
        held = JSON.stringify(report);
      } else if (showsAll || !report.valid) print(textOf(report));
      if (!all || performance.now() - toldAt < PROGRESS_EVERY_MS) return;
      toldAt = performance.now();
      tell(summary());
    },
    end() {
      flush("");
      if (json) print("]");
      if (all || !json) tell(summary());
      return count.invalid > 0 ? 1 : 0;
    },
  };
}
