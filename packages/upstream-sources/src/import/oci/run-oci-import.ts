import type { Caller } from "@sealhouse/request-types";
import { isCallError } from "@sealhouse/http-responses/outgoing";
import type { OciPorts, TagRetention } from "@sealhouse/oci-distribution";
import type { OciError } from "@sealhouse/oci-distribution";
import { catalogTarget, isOciError, isRepositoryName } from "@sealhouse/oci-distribution";
import { createCopier, isCopyError } from "@sealhouse/oci-distribution/client";
import type { CopyReport, Copier, ImageTarget } from "@sealhouse/oci-distribution/client";
import { isSourceError } from "../../source-error.ts";
import { checkComplaints, FailFastError } from "../fail-fast.ts";
import { forEachConcurrent } from "../for-each-concurrent.ts";
import type { ImportOutcome, ImportReport, ReportKeeper } from "../report.ts";
import { createReport } from "../report.ts";
import type { OciSource, SourceRepository, SourceImage } from "./oci-source.ts";

/** The ports that an import of images writes to. */
export type OciImportPorts = Pick<OciPorts, "blobs" | "manifests" | "files"> & {
  readonly tags: Pick<TagRetention, "tagRecords">;
};

/** Options of `runOciImport`. */
export type OciImportOptions = {
  readonly caller: Caller;
  readonly dryRun: boolean;
  /** Stops at the first image that is refused or fails. */
  readonly failFast: boolean;
  /** Moves a tag that points to another image. Otherwise the import refuses the image. */
  readonly moveTags: boolean;
  readonly maxBlobBytes: number;
  readonly signal: AbortSignal;
  /** Maximum number of images of a repository in progress, and of blobs. */
  readonly concurrency: number;
  /** Returns the name in this registry of a source repository; undefined to skip it. */
  readonly targetName: (name: string) => string | undefined;
  readonly includesTag: (tag: string) => boolean;
  readonly isDone: (name: string) => boolean;
  /** Called for each repository that needs no other attempt. */
  readonly onDone: (name: string) => void;
  readonly onProgress: (report: ImportReport) => void;
};

/** Totals of an import of images. */
export type OciImportReport = ImportReport & {
  /** Bytes of new blobs and manifests, and of those that existed. */
  readonly bytes: { readonly moved: number; readonly skipped: number };
};

type Run = {
  readonly ports: OciImportPorts;
  readonly options: OciImportOptions;
  readonly keeper: ReportKeeper;
  readonly bytes: { moved: number; skipped: number };
};

/** Imports the images of every repository. Continues after a failed one. When the signal aborts,
 * returns the report so far. */
export async function runOciImport(
  ports: OciImportPorts,
  source: OciSource,
  options: OciImportOptions,
): Promise<OciImportReport> {
  const { signal, isDone, onDone, targetName } = options;
  const run: Run = { ports, options, keeper: createReport(), bytes: { moved: 0, skipped: 0 } };
  try {
    for await (const repository of source.repositories(signal)) {
      signal.throwIfAborted();
      const name = targetName(repository.name);
      if (name === undefined || isDone(repository.name)) continue;
      if (await importRepository(run, repository, name)) onDone(repository.name);
    }
  } catch (error) {
    if (!signal.aborted && !(error instanceof FailFastError)) throw error;
    run.keeper.stop();
  }
  return { ...run.keeper.report(), bytes: run.bytes };
}

/** Returns false when another attempt may import more. */
async function importRepository(
  run: Run,
  repository: SourceRepository,
  targetName: string,
): Promise<boolean> {
  const { name, images } = repository;
  const { ports, options, keeper } = run;
  const { signal, concurrency, includesTag, moveTags } = options;
  if (!isRepositoryName(targetName)) {
    keeper.add(refused("It is not a valid repository name."), {
      name: targetName,
      kind: "package",
    });
    return true;
  }
  const { caller, maxBlobBytes } = options;
  const target = catalogTarget(ports, targetName, { caller, maxBlobBytes });
  const takenTags = moveTags ? "move" : "keep";
  const copier = createCopier(images, target, { concurrency, takenTags, signal });
  let isComplete = true;
  try {
    await forEachConcurrent(repository.listImages(signal), concurrency, async (image) => {
      signal.throwIfAborted();
      const tags = image.tags.filter(includesTag);
      if (tags.length < image.tags.length && tags.length === 0) return;
      const part = { ...image, tags };
      const outcome = options.dryRun
        ? await planImage({ images, target, takenTags }, part)
        : await importImage(run, copier, part);
      addToReport(run, `${name}${labelOf(part)}`, outcome);
      if (outcome.status === "failed") isComplete = false;
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FailFastError || !isSourceFailure(error)) throw error;
    keeper.fail({ name, reason: error.message });
    isComplete = false;
  }
  return isComplete;
}

function addToReport({ keeper, options }: Run, name: string, outcome: ImportOutcome): void {
  keeper.add(outcome, { name, kind: "package" });
  const report = keeper.report();
  options.onProgress(report);
  checkComplaints(report, options.failFast);
}

function labelOf({ reference, tags }: SourceImage): string {
  return tags.length === 0 ? `@${reference}` : `:${tags.join(", ")}`;
}

async function importImage(run: Run, copier: Copier, image: SourceImage): Promise<ImportOutcome> {
  const { signal } = run.options;
  try {
    const report = await copier.copy(image.reference, image.tags);
    run.bytes.moved += report.bytes.moved + report.bytes.mounted;
    run.bytes.skipped += report.bytes.skipped;
    return outcomeOf(report);
  } catch (error) {
    signal.throwIfAborted();
    if (isOciError(error)) return refused(sentenceOf(error));
    if (isCopyError(error) && error.code === "invalid") return refused(error.message);
    if (isCopyError(error) || isSourceFailure(error)) {
      return { status: "failed", reason: error.message };
    }
    throw error;
  }
}

function outcomeOf({ items }: CopyReport): ImportOutcome {
  const blockedTags = items
    .filter(({ outcome }) => outcome === "kept")
    .flatMap(({ tag }) => tag ?? []);
  if (blockedTags.length > 0) return keptTags(blockedTags);
  const isNew = items.some(({ outcome }) => outcome === "moved" || outcome === "mounted");
  return isNew ? { status: "imported", warnings: [] } : { status: "exists" };
}

function keptTags(tags: readonly string[]): ImportOutcome {
  return refused(
    `${tags.join(", ")} points to another image in this registry; --move-tags moves the tag.`,
  );
}

type Comparison = {
  readonly images: SourceRepository["images"];
  readonly target: ImageTarget;
  readonly takenTags: "move" | "keep";
};

async function planImage(
  { images, target, takenTags }: Comparison,
  { reference, tags }: SourceImage,
): Promise<ImportOutcome> {
  try {
    const manifest = await images.manifest(reference, {});
    if (!manifest) return { status: "failed", reason: `The source does not have ${reference}.` };
    const current = await Promise.all(
      (tags.length === 0 ? [manifest.digest] : tags).map((tag) => target.findManifest(tag, {})),
    );
    if (current.every((digest) => digest === manifest.digest)) return { status: "exists" };
    const blockedTags = tags.filter(
      (_, n) => current[n] !== undefined && current[n] !== manifest.digest,
    );
    if (blockedTags.length > 0 && takenTags === "keep") return keptTags(blockedTags);
    return { status: "importable", warnings: [] };
  } catch (error) {
    if (!isSourceFailure(error)) throw error;
    return { status: "failed", reason: error.message };
  }
}

function isSourceFailure(error: unknown): error is Error {
  return isSourceError(error) || isCallError(error);
}

function refused(reason: string): ImportOutcome {
  return { status: "refused", reason };
}

function sentenceOf({ message, details }: OciError): string {
  const [detail] = details;
  return detail === undefined ? message : `${message} (${JSON.stringify(detail)})`;
}
