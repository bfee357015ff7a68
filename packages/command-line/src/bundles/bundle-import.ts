import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { imageFiles } from "@sealhouse/feed";
import type { BundleImportPorts, BundleTrust } from "@sealhouse/upstream-sources/bundle";
import { importBundle, parseTrustKey } from "@sealhouse/upstream-sources/bundle";
import type { RegistryResources } from "../ports.ts";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { importCaller } from "../imports/import-owner.ts";
import {
  concurrencyIn,
  printReport,
  progressTo,
  untilStopped,
  withCommandErrors,
} from "../imports/print-import.ts";
import { refuseBoth } from "../program-apply.ts";
import type { ApplyOptions } from "../program-apply.ts";
import { openFeed } from "../open-feed.ts";

export type BundleImportOptions = ApplyOptions &
  Json & {
    /** Path of a PEM file. */
    readonly trustKey?: string;
    readonly signature?: string;
    readonly unsigned?: true;
    readonly moveTags?: true;
    readonly concurrency: string;
  };

/** Exit codes: 0 complete, 1 something was refused, failed or not reached. */
export async function importBundleCommand(
  command: Command,
  file: string,
  options: BundleImportOptions,
): Promise<number> {
  refuseBoth(options);
  const concurrency = concurrencyIn(options.concurrency);
  const path = resolve(file);
  const trust = await withCommandErrors(() => trustOf(path, options));
  const { config } = command.load();
  const { nuget, npm, oci } = config.feed;
  const verifyBundle = await command.registry.openBundleVerification(npm.trustedRoot);
  await using resources = await openFeed(command);
  const caller = await importCaller(resources.database, {});
  const now = () => new Date();
  const work = () =>
    importBundle(portsOf(resources, verifyBundle), path, {
      trust,
      caller,
      now,
      dryRun: options.dryRun ?? false,
      moveTags: options.moveTags ?? false,
      maxBytes: {
        nuget: nuget.maxPackageBytes,
        npm: npm.maxTarballBytes ?? Number.MAX_SAFE_INTEGER,
        oci: oci.maxBlobBytes,
      },
      concurrency,
      signal: command.stop,
      onProgress: progressTo(command, now),
    });
  const report = await untilStopped(command, () => withCommandErrors(work));
  printReport(command, report, { source: file, ...options });
  return report.isComplete ? 0 : 1;
}

/** @throws {CommandError} without exactly one of both options */
async function trustOf(path: string, options: BundleImportOptions): Promise<BundleTrust> {
  const { trustKey, unsigned, signature } = options;
  if ((trustKey === undefined) === (unsigned === undefined)) {
    throw new CommandError(
      "Use --trust-key with the key that `sealhouse bundle key` prints where the bundle comes " +
        "from, or --unsigned to accept any bundle.",
    );
  }
  if (trustKey === undefined) return { type: "unsigned" };
  const pem = await readFile(trustKey, "utf8").catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`--trust-key: ${reason}`);
  });
  const signaturePath = signature === undefined ? `${path}.sig` : resolve(signature);
  return { type: "key", key: parseTrustKey(pem), signaturePath };
}

function portsOf(
  { database, blobs, signing, npmSignatures }: RegistryResources,
  verifyBundle: BundleImportPorts["npm"]["verifyBundle"],
): BundleImportPorts {
  const { nuget, npm, oci } = database;
  const { lookup, recorder, symbols } = nuget;
  const { lifecycle, owners } = npm;
  const adopt = { recorder: npmSignatures.recorder, files: blobs.npm, verifyBundle };
  return {
    nuget: { files: blobs.nuget, lookup, recorder, sealer: signing, symbols },
    npm: { lookup: npm.lookup, lifecycle, owners, ...adopt },
    oci: {
      blobs: oci.blobs,
      manifests: oci.manifests,
      tags: oci.tags,
      files: imageFiles(blobs.oci),
    },
  };
}
