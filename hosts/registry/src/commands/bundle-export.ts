import { resolve } from "node:path";
import type { KeyObject } from "node:crypto";
import { imageFiles } from "@sealhouse/feed";
import type { KeyRing } from "@sealhouse/identity";
import type {
  BundleExportPorts,
  BundleExportReport,
  WantedList,
} from "@sealhouse/upstream-sources/bundle";
import {
  bundleKeyOf,
  exportBundle,
  isGap,
  publicKeyOf,
  readWantedFile,
} from "@sealhouse/upstream-sources/bundle";
import { printableLine } from "../printable.ts";
import type { RegistryResources } from "../wiring/registry-resources.ts";
import type { Command } from "./command.ts";
import type { Json } from "./package.ts";
import { untilStopped, withCommandErrors } from "./print-import.ts";
import { openFeed } from "./signing-feed.ts";

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
  await using resources = await openFeed(command);
  const work = () =>
    exportBundle(portsOf(resources), lists, {
      path: resolve(options.out),
      key: options.unsigned ? undefined : keyOf(resources.keyRing),
      allowMissing: options.allowMissing ?? false,
      platforms: { os: options.os?.split(","), cpu: options.cpu?.split(",") },
      signal: command.stop,
    });
  const report = await untilStopped(command, () => withCommandErrors(work));
  if (options.json) command.stdout(JSON.stringify({ out: options.out, ...report }, undefined, 2));
  else printExport(command, report, options.out);
  return report.isWritten ? 0 : 1;
}

async function readLists(paths: readonly string[]): Promise<readonly WantedList[]> {
  const lists: WantedList[] = [];
  for (const path of paths) lists.push(await readWantedFile(path));
  return lists;
}

function portsOf({ database, blobs }: RegistryResources): BundleExportPorts {
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

/** Prints the public key of the bundles: PEM. */
export async function printBundleKey(command: Command, { json }: Json): Promise<number> {
  await using resources = await openFeed(command);
  const publicKey = publicKeyOf(keyOf(resources.keyRing));
  command.stdout(json ? JSON.stringify({ publicKey }, undefined, 2) : publicKey.trimEnd());
  return 0;
}

/** A rotation of the key ring does not change it. */
function keyOf(keyRing: KeyRing): KeyObject {
  return bundleKeyOf(keyRing.derive("bundle/signing-key"));
}
