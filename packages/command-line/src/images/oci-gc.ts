import { openDatabase } from "@sealhouse/database";
import type { Database } from "@sealhouse/database";
import type {
  Candidate,
  Collected,
  RunReport,
  Surface,
  GarbageParts,
} from "@sealhouse/oci-distribution";
import { createBlobStore } from "@sealhouse/storage-providers";
import { collectSurface } from "@sealhouse/oci-distribution";
import { surfacesOf } from "@sealhouse/oci-distribution/settings";
import { busySentence, EXIT_BUSY } from "../busy.ts";
import type { Config } from "../config.ts";
import { CommandError } from "../command.ts";
import type { ApplyOptions } from "../program-apply.ts";
import type { Command } from "../command.ts";

export type OciGcOptions = ApplyOptions & {
  readonly list?: true;
  readonly surface?: string;
  readonly report?: string;
  readonly json?: true;
};

const FAILED = 1;
const REPORTS_SHOWN = 20;
const ROWS_AT_ONCE = 500;

/** `sealhouse oci gc`: collects garbage, or lists what a run would delete. */
export async function runOciGc(command: Command, options: OciGcOptions): Promise<number> {
  const { dryRun, apply, list } = options;
  if ([dryRun, apply, list].filter(Boolean).length > 1) {
    throw new CommandError("Use only one of --dry-run, --apply and --list, not two of them.");
  }
  const { config } = command.load();
  await using database = await openDatabase(config.database, { migrate: config.migrateAtStart });
  if (list) return await listReports(command, database, options);
  await using store = await command.registry.openStorage(config.storage);
  const files = createBlobStore(store, { prefix: "oci" });
  const catalog = database.oci.garbage;
  const parts = { config, catalog, leases: database.leases, files, now: () => new Date() };
  const isDryRun = dryRun ?? (apply ? false : config.ociGarbage.dryRun);
  if (options.report !== undefined && isDryRun) {
    throw new CommandError("--report limits what --apply removes; use --list to show a report.");
  }
  const results: object[] = [];
  const states: Collected["status"][] = [];
  for (const surface of selectedSurfaces(config, options)) {
    const ended = await collectOne(command, { ...parts, database }, { surface, isDryRun, options });
    if (options.json) results.push({ ...ended.collected, surface: surface.name, list: ended.list });
    states.push(ended.collected.status);
  }
  if (options.json) command.stdout(JSON.stringify(results, undefined, 2));
  return exitCodeOf(states);
}

/** Exit codes: 0 all finished; 1 one was stopped or aborted; 5 one was busy, and none failed. */
function exitCodeOf(states: readonly Collected["status"][]): number {
  const others = states.filter((state) => state !== "finished");
  if (others.length === 0) return 0;
  return others.every((state) => state === "busy") ? EXIT_BUSY : FAILED;
}

type CollectorRun = {
  readonly surface: Surface;
  readonly isDryRun: boolean;
  readonly options: OciGcOptions;
};

/** A surface that another run collects does not block the others. */
async function collectOne(
  command: Command,
  parts: GarbageParts & { readonly database: Database },
  { surface, isDryRun, options }: CollectorRun,
): Promise<{ readonly collected: Collected; readonly list: readonly Candidate[] }> {
  const { report: reviewed, json } = options;
  const collected = await collectSurface(parts, {
    surface,
    dryRun: isDryRun,
    signal: command.stop,
    onFailure: (key, error) => command.stderr(`${key} could not be deleted: ${wordsOf(error)}`),
    ...(reviewed !== undefined && { reviewed }),
  });
  const list: Candidate[] = [];
  if (collected.status === "refused") throw new CommandError(`${sentence(collected.reason)}.`);
  if (collected.status === "busy") {
    command.stderr(`${surface.name}: ${busySentence("garbage collection", collected)}`);
    return { collected, list };
  }
  for await (const candidate of candidatesOf(parts.database, collected.id)) {
    if (json) list.push(candidate);
    else command.stdout(rowOf(candidate));
  }
  if (!json) printEnd(command, collected);
  return { collected, list };
}

function selectedSurfaces(config: Config, { surface, report }: OciGcOptions): readonly Surface[] {
  const all = surfacesOf(config.feed.oci);
  const surfaces = all.filter(({ name }) => surface === undefined || name === surface);
  const names = all.map(({ name }) => name).join(", ");
  if (all.length === 0) {
    throw new CommandError("The OCI registry is off: set Feed__Oci__Default__Enabled=true.");
  }
  if (surfaces.length === 0)
    throw new CommandError(`There is no surface ${surface}; use one of ${names}.`);
  if (report !== undefined && surfaces.length > 1) {
    throw new CommandError(`A report has one surface: add --surface with one of ${names}.`);
  }
  return surfaces;
}

function printEnd({ stderr }: Command, ended: Extract<Collected, { readonly id: string }>): void {
  const { id, surface, status, candidates, removed, links, kept, failed, resumed } = ended;
  if (ended.error !== undefined) stderr(`Aborted: ${ended.error}`);
  else if (status === "stopped") stderr(`Stopped; the next run continues. Report ${id}.`);
  if (status === "aborted") return;
  if (ended.dryRun) {
    stderr(`${surface}: would delete ${sum(candidates)}. Report ${id}.`);
    stderr(
      `To remove this and nothing else: sealhouse oci gc --apply${only(surface)} --report ${id}`,
    );
    return;
  }
  stderr(`${surface}: deleted ${sum(removed)} and ${links} links. Report ${id}.`);
  if (kept > 0) stderr(`Kept ${kept}: used or referenced since the report.`);
  if (resumed > 0) stderr(`Deleted ${resumed} blobs of an earlier run.`);
  if (failed > 0) stderr(`Could not delete ${failed} objects; the next run will retry.`);
}

function only(surface: string): string {
  return ` --surface ${surface}`;
}

async function listReports(
  command: Command,
  { oci: { garbage } }: Database,
  { report, surface, json }: OciGcOptions,
): Promise<number> {
  if (report !== undefined) {
    const runReport = await garbage.reports.report(report);
    if (!runReport) throw new CommandError(`There is no report ${report}.`);
    const list: Candidate[] = [];
    for await (const candidate of candidatesOf({ oci: { garbage } }, report)) {
      if (json) list.push(candidate);
      else command.stdout(rowOf(candidate));
    }
    if (json) command.stdout(JSON.stringify({ ...runReport, list }, undefined, 2));
    else command.stderr(reportRow(runReport));
    return 0;
  }
  const all = await garbage.reports.reports(REPORTS_SHOWN);
  const shown = all.filter((entry) => surface === undefined || entry.surface === surface);
  if (json) command.stdout(JSON.stringify(shown, undefined, 2));
  else if (shown.length === 0)
    command.stderr("There are no reports yet: sealhouse oci gc --dry-run");
  else for (const shownReport of shown) command.stdout(reportRow(shownReport));
  return 0;
}

async function* candidatesOf(
  { oci: { garbage } }: { readonly oci: Pick<Database["oci"], "garbage"> },
  id: string,
): AsyncGenerator<Candidate> {
  for (const kind of ["manifest", "link", "blob"] as const) {
    let after: Candidate | undefined;
    for (;;) {
      const place = { kind, limit: ROWS_AT_ONCE, ...(after && { after }) };
      const page = await garbage.reports.candidates({ id }, place);
      yield* page;
      after = page.at(-1);
      if (page.length < ROWS_AT_ONCE) break;
    }
  }
}

const WORDS = {
  untagged: "no tag points to it",
  "subject-gone": "its subject does not exist",
  unneeded: "no manifest of the repository needs it",
  unlinked: "no repository has it",
} as const satisfies Record<Candidate["reason"], string>;

function rowOf(candidate: Candidate): string {
  const { kind, digest, size, reason, lastUsedAt } = candidate;
  const name = candidate.kind === "blob" ? digest : `${candidate.repository}@${digest}`;
  const used = `last used ${lastUsedAt.toISOString().slice(0, 16)}Z`;
  return [kind.padEnd(8), name, `${size} bytes`, WORDS[reason], used].join("  ");
}

function reportRow(report: RunReport): string {
  const { id, surface, startedAt, state, dryRun, manifests, blobs, removed } = report;
  const total = sum({
    count: manifests.count + blobs.count,
    bytes: manifests.bytes + blobs.bytes,
  });
  const gone = dryRun ? "dry run" : `deleted: ${sum(removed)}`;
  return [id, startedAt.toISOString(), surface, state, `found: ${total}`, gone].join("  ");
}

function sum({ count, bytes }: { readonly count: number; readonly bytes: number }): string {
  return `${count} manifests and blobs, ${bytes} bytes`;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
