import { parseOldPackageName } from "@sealhouse/npm-protocol";
import { SourceError } from "../candidate.ts";
import { inParallel } from "../in-parallel.ts";
import type { ImportReport, ReportKeeper } from "../report.ts";
import { createReport } from "../report.ts";
import type { NpmSource } from "./npm-source.ts";
import type { TakeNpmOptions, TakeNpmPorts } from "./take-package.ts";
import { takePackage } from "./take-package.ts";

export type NpmImportOptions = Omit<TakeNpmOptions, "keeper" | "onProgress"> & {
  /** Packages under way at once; the versions of one come one after the other. */
  readonly concurrency: number;
  /** Ends with the first version that is refused or fails. */
  readonly failFast: boolean;
  /** Told after each version. */
  readonly onProgress: (report: ImportReport) => void;
  /** Called for each package of which nothing is left to try again. */
  readonly onDone: (name: string) => void;
};

/** A complaint ended the import, as was wished. */
class EndedEarly extends Error {
  override readonly name = "EndedEarly";
}

/** Takes these packages. One that fails does not end it; when the signal aborts, it ends with what
 * is done. */
export async function runNpmImport(
  ports: TakeNpmPorts,
  from: { readonly source: NpmSource; readonly names: readonly string[] },
  options: NpmImportOptions,
): Promise<ImportReport> {
  const { concurrency, failFast, signal } = options;
  const keeper = createReport();
  const onProgress = () => {
    const report = keeper.report();
    options.onProgress(report);
    if (failFast && report.refused + report.failed > 0) throw new EndedEarly();
  };
  try {
    await inParallel(each(from.names), concurrency, async (name) => {
      signal.throwIfAborted();
      const taken = { ...options, keeper, onProgress };
      if (await takeNamed(ports, { source: from.source, name }, taken)) options.onDone(name);
    });
  } catch (error) {
    if (!signal.aborted && !(error instanceof EndedEarly)) throw error;
    keeper.stop();
  }
  return keeper.report();
}

/** Gives whether there is nothing left to try again. */
async function takeNamed(
  ports: TakeNpmPorts,
  { source, name }: { readonly source: NpmSource; readonly name: string },
  options: TakeNpmOptions & { readonly keeper: ReportKeeper },
): Promise<boolean> {
  if (parseOldPackageName(name) === undefined) {
    const reason = "This registry takes no package of this name.";
    options.keeper.add({ status: "refused", reason }, { name, kind: "package" });
    options.onProgress();
    return true;
  }
  try {
    const found = await source.open(name, options.signal);
    if (found) return await takePackage(ports, found, options);
    options.keeper.fail({ name, reason: "The source does not have it." });
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof SourceError)) throw error;
    options.keeper.fail({ name, reason: error.message });
  }
  options.onProgress();
  return false;
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* items;
}
