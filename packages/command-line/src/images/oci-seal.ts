import { digestOfTag, isDigest, isRepositoryName, isTag } from "@sealhouse/oci-distribution";
import type { Digest, RepositoryName, StoredManifest } from "@sealhouse/oci-distribution";
import {
  cosignPublicKey,
  notationRoot,
  sealManifest,
  taggedImages,
} from "@sealhouse/oci-distribution/seal";
import type { SealingParts } from "@sealhouse/oci-distribution/seal";
import { CommandError } from "../command.ts";
import { refuseBoth } from "../program-apply.ts";
import type { ApplyOptions } from "../program-apply.ts";
import type { Command } from "../command.ts";
import { openFeed } from "../open-feed.ts";

export type OciSealOptions = ApplyOptions & {
  readonly all?: true;
  readonly printKey?: true;
  readonly printCertificate?: true;
  readonly json?: true;
};

/** `sealhouse oci sign`: signs images without a signature of the current key.
 * Exit code 1 when an image could not be signed. */
export async function sealCommand(
  command: Command,
  images: readonly string[],
  options: OciSealOptions,
): Promise<number> {
  refuseBoth(options);
  const { config } = command.load();
  const { ociSeal } = config;
  if (!ociSeal) {
    throw new CommandError("Signing of images is disabled: set Signing__Oci__Enabled=true.");
  }
  await using resources = await openFeed(command);
  await resources.signing.open();
  const parts = await resources.openSealing(ociSeal);
  if (options.printKey || options.printCertificate) {
    if (options.printKey) command.stdout((await cosignPublicKey(parts.keys)).trimEnd());
    if (options.printCertificate) command.stdout((await notationRoot(parts.keys)).trimEnd());
    return 0;
  }
  if (options.all !== true && images.length === 0) {
    throw new CommandError("Name images, such as team/app:1.0, or use --all.");
  }
  const targets = options.all ? taggedImages(parts.catalog) : findImages(parts, images);
  const { dryRun = false, json = false } = options;
  return await sealAll(command, parts, { targets, dryRun, json });
}

type SealTarget = {
  readonly repository: RepositoryName;
  readonly digest: Digest;
  /** Absent: named by its digest. */
  readonly tag?: string;
};

type SealRun = {
  readonly targets: AsyncIterable<SealTarget>;
  readonly dryRun: boolean;
  readonly json: boolean;
};

async function sealAll(
  { stdout, stderr, stop }: Command,
  parts: SealingParts,
  { targets, dryRun, json }: SealRun,
): Promise<number> {
  const { isSealable } = await import("@sealhouse/oci-distribution/seal");
  const { manifests } = parts.catalog;
  const report: SealReport = { sealed: 0, there: 0, failed: 0 };
  const count = signatureCounter(parts, { dryRun, stop });
  const seen = new Set<string>();
  for await (const { repository, digest, tag = "" } of targets) {
    if (stop.aborted) break;
    const name = `${repository}@${digest}`;
    const image = seen.has(name) ? undefined : await manifests.find(repository, digest);
    if (!image || !isSealable(image, tag)) continue;
    seen.add(name);
    const outcome = await count(repository, image);
    if (typeof outcome === "string") {
      report.failed += 1;
      stderr(`${name}: ${outcome}`);
    } else if (outcome === 0) report.there += 1;
    else report.sealed += 1;
    if (!json && typeof outcome === "number" && outcome > 0) stdout(name);
  }
  if (json) stdout(JSON.stringify({ ...report, ...(dryRun && { dryRun }) }, undefined, 2));
  else stderr(summaryOf(report, dryRun));
  return report.failed > 0 ? 1 : 0;
}

type CountSignatures = (
  repository: RepositoryName,
  image: StoredManifest,
) => Promise<number | string>;

/** Counts the created signatures, or with `dryRun` the missing ones. */
function signatureCounter(
  parts: SealingParts,
  { dryRun, stop }: { readonly dryRun: boolean; readonly stop: AbortSignal },
): CountSignatures {
  if (dryRun) return (repository, image) => missingSignatures(parts, repository, image);
  return (repository, image) => sealOne(parts, repository, image, stop);
}

type SealReport = { sealed: number; there: number; failed: number };

function summaryOf({ sealed, there, failed }: Readonly<SealReport>, dryRun: boolean): string {
  if (dryRun) return `Would sign: ${sealed}. Signed already: ${there}.`;
  return `Signed: ${sealed}. Signed already: ${there}. Failed: ${failed}.`;
}

/** The number of signatures that an image and its platforms lack. */
async function missingSignatures(
  parts: SealingParts,
  repository: RepositoryName,
  image: StoredManifest,
): Promise<number> {
  const { isSealed, platformsOf } = await import("@sealhouse/oci-distribution/seal");
  const { catalog, files, keys, now, options } = parts;
  const { blobs, manifests } = catalog;
  const ports = { blobs, manifests, files, keys, now };
  const platforms = parts.platforms ? await platformsOf(ports, repository, image) : [];
  let missing = 0;
  for (const manifest of [...platforms, image]) {
    for (const format of options.formats) {
      if (!(await isSealed(ports, repository, manifest, [format]))) missing += 1;
    }
  }
  return missing;
}

/** The number of created signatures, or the reason for none. */
async function sealOne(
  parts: SealingParts,
  repository: RepositoryName,
  image: StoredManifest,
  stop: AbortSignal,
): Promise<number | string> {
  try {
    const outcomes = await sealManifest(parts, repository, image, stop);
    return outcomes.reduce((sum, { addedFormats: made }) => sum + made.length, 0);
  } catch (error) {
    if (stop.aborted) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

async function* findImages(
  parts: SealingParts,
  images: readonly string[],
): AsyncGenerator<SealTarget> {
  for (const image of images) {
    const { repository, reference } = parseImage(image);
    if (reference === undefined) yield* taggedImages(parts.catalog, repository);
    else yield { repository, ...(await findImage(parts, { image, repository, reference })) };
  }
}

/** @throws {CommandError} where there is no such image */
async function findImage(
  parts: SealingParts,
  target: {
    readonly image: string;
    readonly repository: RepositoryName;
    readonly reference: string;
  },
): Promise<{ readonly digest: Digest; readonly tag?: string }> {
  const { image, repository, reference } = target;
  if (isDigest(reference)) {
    if (await parts.catalog.manifests.find(repository, reference)) {
      return { digest: reference };
    }
  } else {
    const digest = await digestOfTag(parts.catalog.tags, repository, reference);
    if (digest) return { digest, tag: reference };
  }
  throw new CommandError(`There is no image ${image}.`);
}

/** @throws {CommandError} when the reference is not an image of this registry */
function parseImage(text: string): {
  readonly repository: RepositoryName;
  readonly reference: string | undefined;
} {
  const [, name = "", separator, reference] = /^([^:@]+)(?:([:@])(.+))?$/.exec(text) ?? [];
  const isReference = separator === "@" ? isDigest : isTag;
  if (isRepositoryName(name) && (reference === undefined || isReference(reference))) {
    return { repository: name, reference };
  }
  throw new CommandError(`"${text}" is not an image. Write team/app:1.0, without the host name.`);
}
