import { CallError } from "@sealhouse/http-responses/outgoing";
import type { Caller, OciPorts, TagRetention } from "@sealhouse/oci-distribution";
import { OciError, catalogTarget, isRepositoryName } from "@sealhouse/oci-distribution";
import { CopyError, createCopier } from "@sealhouse/oci-distribution/client";
import type { CopyReport, Copier, ImageTarget } from "@sealhouse/oci-distribution/client";
import { SourceError } from "../candidate.ts";
import { inParallel } from "../in-parallel.ts";
import type { ImportReport, ReportKeeper } from "../report.ts";
import { createReport } from "../report.ts";
import type { OciSource, SourceRepository, WantedImage } from "./oci-source.ts";

export type OciImportPorts = Pick<OciPorts, "blobs" | "manifests" | "files"> & {
  readonly tags: Pick<TagRetention, "tagRecords">;
};

export type OciImportOptions = {
  readonly caller: Caller;
  readonly dryRun: boolean;
  /** Ends with the first image that is refused or fails. */
  readonly failFast: boolean;
  /** A tag that leads to another image here is moved; else it is refused. */
  readonly moveTags: boolean;
  readonly maxBlobBytes: number;
  readonly signal: AbortSignal;
  /** Images of a repository under way at once, and blobs. */
  readonly concurrency: number;
  /** What it is called here, by what it is called there; undefined: it is not wanted. */
  readonly nameHere: (name: string) => string | undefined;
  readonly wantsTag: (tag: string) => boolean;
  readonly isDone: (name: string) => boolean;
  /** Called for each repository of which nothing is left to try again. */
  readonly onDone: (name: string) => void;
  readonly onProgress: (report: ImportReport) => void;
};

export type OciImportReport = ImportReport & {
  /** Bytes of blobs and manifests that were not here, and that were. */
  readonly bytes: { readonly moved: number; readonly skipped: number };
};

/** A complaint ended the import, as was wished. */
class EndedEarly extends Error {
  override readonly name = "EndedEarly";
}

type Run = {
  readonly ports: OciImportPorts;
  readonly options: OciImportOptions;
  readonly keeper: ReportKeeper;
  readonly bytes: { moved: number; skipped: number };
};

/** Takes the images of every repository. One that fails does not end it; when the signal aborts, it
 * ends with what is done. */
export async function runOciImport(
  ports: OciImportPorts,
  source: OciSource,
  options: OciImportOptions,
): Promise<OciImportReport> {
  const { signal, isDone, onDone, nameHere } = options;
  const run: Run = { ports, options, keeper: createReport(), bytes: { moved: 0, skipped: 0 } };
  try {
    for await (const repository of source.repositories(signal)) {
      signal.throwIfAborted();
      const name = nameHere(repository.name);
      if (name === undefined || isDone(repository.name)) continue;
      if (await takeRepository(run, repository, name)) onDone(repository.name);
    }
  } catch (error) {
    if (!signal.aborted && !(error instanceof EndedEarly)) throw error;
    run.keeper.stop();
  }
  return { ...run.keeper.report(), bytes: run.bytes };
}

/** Gives whether there is nothing left to try again. */
async function takeRepository(
  run: Run,
  repository: SourceRepository,
  nameHere: string,
): Promise<boolean> {
  const { name, images } = repository;
  const { ports, options, keeper } = run;
  const { signal, concurrency, wantsTag, moveTags } = options;
  if (!isRepositoryName(nameHere)) {
    keeper.add(refused("No repository may be called that."), { name: nameHere, kind: "package" });
    return true;
  }
  const { caller, maxBlobBytes } = options;
  const target = catalogTarget(ports, nameHere, { caller, maxBlobBytes });
  const takenTags = moveTags ? "move" : "keep";
  const copier = createCopier(images, target, { concurrency, takenTags, signal });
  let isFine = true;
  try {
    await inParallel(repository.wanted(signal), concurrency, async (image) => {
      signal.throwIfAborted();
      const tags = image.tags.filter(wantsTag);
      if (tags.length < image.tags.length && tags.length === 0) return;
      const part = { ...image, tags };
      const taken = options.dryRun
        ? await wouldTake({ images, target, takenTags }, part)
        : await take(run, copier, part);
      tell(run, `${name}${labelOf(part)}`, taken);
      if (taken.status === "failed") isFine = false;
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EndedEarly || !isOfSource(error)) throw error;
    keeper.fail({ name, reason: error.message });
    isFine = false;
  }
  return isFine;
}

type Taken = Parameters<ReportKeeper["add"]>[0];

function tell({ keeper, options }: Run, name: string, taken: Taken): void {
  keeper.add(taken, { name, kind: "package" });
  const report = keeper.report();
  options.onProgress(report);
  if (options.failFast && report.refused + report.failed > 0) throw new EndedEarly();
}

function labelOf({ reference, tags }: WantedImage): string {
  return tags.length === 0 ? `@${reference}` : `:${tags.join(", ")}`;
}

async function take(run: Run, copier: Copier, image: WantedImage): Promise<Taken> {
  const { signal } = run.options;
  try {
    const report = await copier.copy(image.reference, image.tags);
    run.bytes.moved += report.bytes.moved + report.bytes.mounted;
    run.bytes.skipped += report.bytes.skipped;
    return takenBy(report);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OciError) return refused(sentenceOf(error));
    if (error instanceof CopyError && error.code === "invalid") return refused(error.message);
    if (error instanceof CopyError || isOfSource(error)) {
      return { status: "failed", reason: error.message };
    }
    throw error;
  }
}

function takenBy({ items }: CopyReport): Taken {
  const kept = items.filter(({ outcome }) => outcome === "kept").flatMap(({ tag }) => tag ?? []);
  if (kept.length > 0) return keptTags(kept);
  const isNew = items.some(({ outcome }) => outcome === "moved" || outcome === "mounted");
  return isNew ? { status: "imported", warnings: [] } : { status: "present" };
}

function keptTags(tags: readonly string[]): Taken {
  return refused(
    `${tags.join(", ")} leads to another image here; --move-tags makes it lead to this one.`,
  );
}

type Compared = {
  readonly images: SourceRepository["images"];
  readonly target: ImageTarget;
  readonly takenTags: "move" | "keep";
};

async function wouldTake(
  { images, target, takenTags }: Compared,
  { reference, tags }: WantedImage,
): Promise<Taken> {
  try {
    const manifest = await images.manifest(reference, {});
    if (!manifest) return { status: "failed", reason: `There is no ${reference}.` };
    const there = await Promise.all(
      (tags.length === 0 ? [manifest.digest] : tags).map((one) => target.findManifest(one, {})),
    );
    if (there.every((digest) => digest === manifest.digest)) return { status: "present" };
    const kept = tags.filter((_, n) => there[n] !== undefined && there[n] !== manifest.digest);
    if (kept.length > 0 && takenTags === "keep") return keptTags(kept);
    return { status: "wanted", warnings: [] };
  } catch (error) {
    if (!isOfSource(error)) throw error;
    return { status: "failed", reason: error.message };
  }
}

function isOfSource(error: unknown): error is Error {
  return error instanceof SourceError || error instanceof CallError;
}

function refused(reason: string): Taken {
  return { status: "refused", reason };
}

function sentenceOf({ message, details }: OciError): string {
  const [detail] = details;
  return detail === undefined ? message : `${message} (${JSON.stringify(detail)})`;
}
