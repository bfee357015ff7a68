import { digestOfTag, isDigest, isRepositoryName, isTag } from "@sealhouse/oci-distribution";
import type { Digest, RepositoryName, StoredManifest } from "@sealhouse/oci-distribution";
import {
  isSealable,
  isSealed,
  platformsOf,
  sealManifest,
  taggedImages,
} from "@sealhouse/oci-distribution/seal";
import type { SealingParts } from "@sealhouse/oci-distribution/seal";
import type { Asked } from "../action.ts";
import { absent, RefusedActionError } from "../refusal.ts";
import { outputRows, sparingly } from "./rows.ts";
import type { ShownSigning } from "./signed-images.ts";

type SealTarget = {
  readonly repository: RepositoryName;
  readonly digest: Digest;
  /** Absent: named by its digest. */
  readonly tag?: string;
};

/**
 * Signs the images that lack a signature, or counts them.
 *
 * @throws RefusedActionError where there is no such image
 */
export async function signImages(
  parts: SealingParts,
  images: readonly string[] | "all",
  { isDryRun, signal, report }: Pick<Asked<unknown>, "isDryRun" | "signal" | "report">,
): Promise<ShownSigning> {
  const { manifests } = parts.catalog;
  const totals = { sealed: 0, there: 0, failed: 0 };
  const signed = outputRows<string>();
  const failures = outputRows<ShownSigning["failures"][number]>();
  const progress = sparingly(report);
  const seen = new Set<string>();
  const targets = images === "all" ? taggedImages(parts.catalog) : findImages(parts, images);
  for await (const { repository, digest, tag = "" } of targets) {
    if (signal.aborted) break;
    const name = `${repository}@${digest}`;
    const image = seen.has(name) ? undefined : await manifests.find(repository, digest);
    if (!image || !isSealable(image, tag)) continue;
    seen.add(name);
    const outcome = isDryRun
      ? await missingSignatures(parts, repository, image)
      : await sealOne(parts, repository, image, signal);
    if (typeof outcome === "string") {
      totals.failed += 1;
      failures.add({ image: name, reason: outcome });
    } else if (outcome === 0) totals.there += 1;
    else {
      totals.sealed += 1;
      signed.add(name);
      progress(() => `${totals.sealed} signed`);
    }
  }
  return {
    ...totals,
    ...(isDryRun && { dryRun: true as const }),
    images: signed.rows,
    failures: failures.rows,
    ...signed.more(),
  };
}

/** The number of signatures that an image and its platforms lack. */
async function missingSignatures(
  parts: SealingParts,
  repository: RepositoryName,
  image: StoredManifest,
): Promise<number> {
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

/** @throws RefusedActionError where there is no such image */
async function findImage(
  { catalog }: SealingParts,
  target: {
    readonly image: string;
    readonly repository: RepositoryName;
    readonly reference: string;
  },
): Promise<Omit<SealTarget, "repository">> {
  const { image, repository, reference } = target;
  if (isDigest(reference)) {
    if (await catalog.manifests.find(repository, reference)) return { digest: reference };
  } else {
    const digest = await digestOfTag(catalog.tags, repository, reference);
    if (digest) return { digest, tag: reference };
  }
  throw absent(`There is no image ${image}.`);
}

/** @throws RefusedActionError when the reference is not an image of this registry */
function parseImage(text: string): {
  readonly repository: RepositoryName;
  readonly reference: string | undefined;
} {
  const [, name = "", separator, reference] = /^([^:@]+)(?:([:@])(.+))?$/.exec(text) ?? [];
  const isReference = separator === "@" ? isDigest : isTag;
  if (isRepositoryName(name) && (reference === undefined || isReference(reference))) {
    return { repository: name, reference };
  }
  throw new RefusedActionError(
    "invalid",
    `"${text}" is not an image. Write team/app:1.0, without the host name.`,
  );
}
