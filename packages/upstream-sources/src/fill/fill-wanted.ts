import { forEachConcurrent } from "../import/for-each-concurrent.ts";
import type { Complaint } from "../import/report.ts";
import { fitsPlatforms, joinWanted } from "../wanted/join-wanted.ts";
import type { Platforms } from "../wanted/join-wanted.ts";
import type { Unbundled, Wanted, WantedList } from "../wanted/wanted.ts";
import { isGap, labelOf } from "../wanted/wanted.ts";
import type { ImageFillPorts } from "./bring-image.ts";
import { bringImage } from "./bring-image.ts";
import type { NpmFillPorts } from "./bring-npm.ts";
import { bringNpm } from "./bring-npm.ts";
import type { NuGetFillPorts } from "./bring-nuget.ts";
import { bringNuGet } from "./bring-nuget.ts";
import type { Brought } from "./brought.ts";
import { missing, reasonIn } from "./brought.ts";

/** The ports of the stored content and of the mirrors. */
export type FillPorts = {
  readonly nuget: NuGetFillPorts;
  readonly npm: NpmFillPorts;
  readonly oci: ImageFillPorts;
};

/** Options of `fillWanted`. */
export type FillOptions = {
  readonly platforms: Platforms;
  /** Platforms of images; undefined fields keep all. */
  readonly imagePlatforms: Platforms;
  /** Maximum number of entries in progress. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Called after each entry. */
  readonly onProgress: (report: FillReport) => void;
};

/** Totals, with the names and reasons of what is missing. */
export type FillReport = {
  /** Versions and images that were fetched. */
  readonly fetched: number;
  /** Versions and images that were stored before. */
  readonly present: number;
  /** npm packages for other platforms. */
  readonly filtered: number;
  readonly missing: readonly Complaint[];
  /** Entries that no registry has. */
  readonly unbundled: readonly Unbundled[];
  readonly isInterrupted: boolean;
  /** Nothing is missing, apart from projects of the workspace. */
  readonly isComplete: boolean;
};

/**
 * Fetches the wanted packages and images that are not stored, as requests of clients do. Continues
 * after failures. When the signal aborts, returns the report so far.
 */
export async function fillWanted(
  ports: FillPorts,
  lists: readonly WantedList[],
  options: FillOptions,
): Promise<FillReport> {
  const { platforms, concurrency, signal, onProgress } = options;
  const { wanted, unbundled } = joinWanted(lists);
  const chosen = wanted.filter(
    (entry) => entry.protocol === "oci" || fitsPlatforms(entry, platforms),
  );
  const counts = { fetched: 0, present: 0 };
  const complaints: Complaint[] = [];
  const filtered = wanted.length - chosen.length;
  const report = (isInterrupted: boolean): FillReport => ({
    ...counts,
    filtered,
    missing: complaints,
    unbundled,
    isInterrupted,
    isComplete: !isInterrupted && complaints.length === 0 && !unbundled.some(isGap),
  });
  try {
    await forEachConcurrent(chosen, concurrency, async (entry) => {
      signal.throwIfAborted();
      const brought = await unlessAborted(signal, bringWanted(ports, entry, options));
      if (brought.status !== "missing") counts[brought.status] += 1;
      else {
        const reason = `${brought.reason} Listed in ${entry.from}.`;
        complaints.push({ name: labelOf(entry), reason });
      }
      onProgress(report(false));
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return report(signal.aborted);
}

/** Brings one package or image; the failure of its source is the reason why it is missing. */
export async function bringWanted(
  ports: FillPorts,
  entry: Wanted,
  options: Pick<FillOptions, "imagePlatforms" | "signal">,
): Promise<Brought> {
  try {
    return await bring(ports, entry, options);
  } catch (error) {
    const reason = options.signal.aborted ? undefined : reasonIn(error);
    if (reason === undefined) throw error;
    return missing(reason);
  }
}

function bring(
  ports: FillPorts,
  entry: Wanted,
  { imagePlatforms, signal }: Pick<FillOptions, "imagePlatforms" | "signal">,
): Promise<Brought> {
  switch (entry.protocol) {
    case "nuget":
      return bringNuGet(ports.nuget, entry);
    case "npm":
      return bringNpm(ports.npm, entry);
    case "oci":
      return bringImage(ports.oci, entry, { platforms: imagePlatforms, signal });
  }
}

/** A transfer continues without its reader; the end of the mirror ends it. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
