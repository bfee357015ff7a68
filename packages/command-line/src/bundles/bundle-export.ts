import { resolve } from "node:path";
import type { KeyObject } from "node:crypto";
import { imageFiles } from "@sealhouse/feed";
import type { KeyRing } from "@sealhouse/identity";
import type {
  BundleExportPorts,
  BundleExportReport,
  FillPorts,
  Platforms,
  WantedList,
} from "@sealhouse/upstream-sources/bundle";
import {
  bringWanted,
  bundleKeyOf,
  exportBundle,
  isGap,
  placeImages,
  readWantedFile,
} from "@sealhouse/upstream-sources/bundle";
import { printableLine } from "../printable.ts";
import type { CommandMirror, RegistryResources } from "../ports.ts";
import type { Command, Json } from "../command.ts";
import { untilStopped, withCommandErrors } from "../imports/print-import.ts";
import { clockOf } from "../open-feed.ts";

export type BundleExportOptions = Json & {
  readonly from: readonly string[];
  readonly out: string;
  readonly allowMissing?: true;
  /** `linux,win32`. */
  readonly os?: string;
  /** `x64,arm64`. */
  readonly cpu?: string;
  readonly unsigned?: true;
};

/** Exit codes: 0 complete, or with `--allow-missing`; 1 something is missing. */
export async function exportBundleCommand(
  command: Command,
  options: BundleExportOptions,
): Promise<number> {
  const lists = await withCommandErrors(() => readLists(options.from));
  await using mirror = await command.registry.openMirror(clockOf(command));
  const placed = await placeImages(mirror.images, lists);
  const report = await writeBundle(command, { mirror, lists: placed }, options);
  if (options.json) command.stdout(JSON.stringify({ out: options.out, ...report }, undefined, 2));
  return report.isWritten ? 0 : 1;
}

/** Writes a bundle, and fetches missing versions from sources. Prints the report without `json`. */
export async function writeBundle(
  command: Command,
  { mirror, lists }: { readonly mirror: CommandMirror; readonly lists: readonly WantedList[] },
  options: Omit<BundleExportOptions, "from">,
): Promise<BundleExportReport> {
  const { resources } = mirror;
  const ports = portsOf(resources, (await mirror.canFetch()) ? mirror.ports : undefined);
  const work = () =>
    exportBundle(ports, lists, {
      path: resolve(options.out),
      key: options.unsigned ? undefined : keyOf(resources.keyRing),
      allowMissing: options.allowMissing ?? false,
      platforms: platformsIn(options),
      signal: command.stop,
    });
  const report = await untilStopped(command, () => withCommandErrors(work));
  if (!options.json) printExport(command, report, options.out);
  return report;
}

export async function readLists(paths: readonly string[]): Promise<readonly WantedList[]> {
  const lists: WantedList[] = [];
  for (const path of paths) lists.push(await readWantedFile(path));
  return lists;
}

/** The lists of `--os` and `--cpu`. */
export function platformsIn({ os, cpu }: Pick<BundleExportOptions, "os" | "cpu">): Platforms {
  return { os: os?.split(","), cpu: cpu?.split(",") };
}

function portsOf(
  { database, blobs }: RegistryResources,
  sources: FillPorts | undefined,
): BundleExportPorts {
  const { nuget, npm, oci } = database;
  return {
    nuget: { lookup: nuget.lookup, provenance: nuget.provenance, files: blobs.nuget },
    npm: {
      lookup: npm.lookup,
      attestations: npm.attestations,
      content: {
        open: ({ key, size }) => ({ size, read: (range) => blobs.npm.read(key, range) }),
      },
    },
    oci: { blobs: oci.blobs, manifests: oci.manifests, files: imageFiles(blobs.oci) },
    ...(sources && {
      fetchMissing: (wanted, signal) =>
        bringWanted(sources, wanted, { imagePlatforms: {}, signal }),
    }),
  };
}

function printExport({ stdout, stderr }: Command, report: BundleExportReport, out: string): void {
  for (const { name, reason } of report.missing)
    stderr(printableLine(`missing ${name}: ${reason}`));
  for (const entry of report.unbundled) {
    const word = isGap(entry) ? "missing" : "skipped";
    stderr(printableLine(`${word} ${entry.name}: ${entry.reason} Listed in ${entry.from}.`));
  }
  if (report.filtered > 0) stderr(`skipped ${report.filtered} packages for other platforms`);
  const { nuget, npm, oci } = report.bundled;
  const counts = `${nuget} NuGet packages, ${npm} npm packages, ${oci} images`;
  if (report.isWritten) stdout(`${out}: ${counts}, ${report.bytes} bytes`);
  else stderr("Nothing was written. Add what is missing, or use --allow-missing.");
}

/** A rotation of the key ring does not change it. */
function keyOf(keyRing: KeyRing): KeyObject {
  return bundleKeyOf(keyRing.derive("bundle/signing-key"));
}
