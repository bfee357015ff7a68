import type { FillReport, WantedList } from "@sealhouse/upstream-sources/bundle";
import { fillWanted, isGap, placeImages } from "@sealhouse/upstream-sources/bundle";
import { printableLine } from "../printable.ts";
import { platformsIn, readLists, writeBundle } from "./bundle-export.ts";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import type { CommandMirror } from "../ports.ts";
import { everyFewSeconds, withCommandErrors } from "../imports/print-import.ts";
import { clockOf } from "../open-feed.ts";

export type MirrorOptions = Json & {
  readonly from: readonly string[];
  readonly os?: string;
  readonly cpu?: string;
  readonly allowMissing?: true;
  /** Path of the bundle to write. */
  readonly bundle?: string;
};

const CONCURRENCY = 8;

/** Exit codes: 0 complete, or with `--allow-missing`; 1 something is missing or not reached. */
export async function mirrorCommand(command: Command, options: MirrorOptions): Promise<number> {
  const lists = await withCommandErrors(() => readLists(options.from));
  await using mirror = await command.registry.openMirror(clockOf(command));
  if (!(await mirror.canFetch())) {
    throw new CommandError(
      "No package source can be called. Add one with `sealhouse source add`, and check " +
        "Mirror__Enabled and Mirror__Offline.",
    );
  }
  const placed = await placeImages(mirror.images, lists);
  const report = await withCommandErrors(() => fill({ command, mirror, options }, placed));
  if (!report.isInterrupted) await mirror.settled();
  if (!options.json) printFill(command, report);
  const isGood = report.isComplete || (options.allowMissing === true && !report.isInterrupted);
  const bundle = isGood ? await bundleOf({ command, mirror, options }, placed) : undefined;
  if (options.json) {
    command.stdout(JSON.stringify({ ...report, ...(bundle && { bundle }) }, undefined, 2));
  }
  return isGood && bundle?.isWritten !== false ? 0 : 1;
}

type Run = {
  readonly command: Command;
  readonly mirror: CommandMirror;
  readonly options: MirrorOptions;
};

function fill({ command, mirror, options }: Run, lists: readonly WantedList[]) {
  const platforms = platformsIn(options);
  return fillWanted(mirror.ports, lists, {
    platforms,
    // A bundle has images with all their platforms.
    imagePlatforms: options.bundle === undefined ? platforms : {},
    concurrency: CONCURRENCY,
    signal: command.stop,
    onProgress: everyFewSeconds(clockOf(command), (report) => command.stderr(summaryOf(report))),
  });
}

async function bundleOf({ command, mirror, options }: Run, lists: readonly WantedList[]) {
  const { bundle, allowMissing, os, cpu, json } = options;
  if (bundle === undefined) return undefined;
  const exporting = {
    out: bundle,
    ...(allowMissing && { allowMissing }),
    ...(os !== undefined && { os }),
    ...(cpu !== undefined && { cpu }),
    ...(json && { json }),
  };
  return writeBundle(command, { mirror, lists }, exporting);
}

function printFill({ stdout, stderr }: Command, report: FillReport): void {
  for (const { name, reason } of report.missing) {
    stderr(printableLine(`missing ${name}: ${reason}`));
  }
  for (const entry of report.unbundled) {
    const word = isGap(entry) ? "missing" : "skipped";
    stderr(printableLine(`${word} ${entry.name}: ${entry.reason} Listed in ${entry.from}.`));
  }
  if (report.filtered > 0) stderr(`skipped ${report.filtered} packages for other platforms`);
  stdout(summaryOf(report));
  if (report.isInterrupted) stderr("Interrupted. Run the same command again to continue.");
}

/** `3 fetched, 2 present, 1 missing`. */
function summaryOf({ fetched, present, missing, unbundled }: FillReport): string {
  const gaps = missing.length + unbundled.filter(isGap).length;
  return `${fetched} fetched, ${present} present, ${gaps} missing`;
}
