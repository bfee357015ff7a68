import { parseOldPackageName } from "@sealhouse/npm-protocol";
import { isSourceError } from "../../source-error.ts";
import { checkComplaints, FailFastError } from "../fail-fast.ts";
import { forEachConcurrent } from "../for-each-concurrent.ts";
import type { ImportReport, ReportKeeper } from "../report.ts";
import { createReport } from "../report.ts";
import type { NpmSource } from "./npm-source.ts";
import type { PackageImportOptions, NpmImportPorts } from "./import-package.ts";
import { importPackage } from "./import-package.ts";

/** Options of `runNpmImport`. */
export type NpmImportOptions = Omit<PackageImportOptions, "keeper" | "onProgress"> & {
  /** Maximum number of packages in progress. The versions of a package follow one another. */
  readonly concurrency: number;
  /** Stops at the first version that is refused or fails. */
  readonly failFast: boolean;
  /** Called after each version. */
  readonly onProgress: (report: ImportReport) => void;
  /** Called for each package that needs no other attempt. */
  readonly onDone: (name: string) => void;
};

/** Imports these packages. Continues after a failed one. When the signal aborts, returns the report
 * so far. */
export async function runNpmImport(
  ports: NpmImportPorts,
  from: { readonly source: NpmSource; readonly names: readonly string[] },
  options: NpmImportOptions,
): Promise<ImportReport> {
  const { concurrency, failFast, signal } = options;
  const keeper = createReport();
  const onProgress = () => {
    const report = keeper.report();
    options.onProgress(report);
    checkComplaints(report, failFast);
  };
  try {
    await forEachConcurrent(from.names, concurrency, async (name) => {
      signal.throwIfAborted();
      const packageOptions = { ...options, keeper, onProgress };
      const isDone = await importNamed(ports, { source: from.source, name }, packageOptions);
      if (isDone) options.onDone(name);
    });
  } catch (error) {
    if (!signal.aborted && !(error instanceof FailFastError)) throw error;
    keeper.stop();
  }
  return keeper.report();
}

/** Returns false when another attempt may import more. */
async function importNamed(
  ports: NpmImportPorts,
  { source, name }: { readonly source: NpmSource; readonly name: string },
  options: PackageImportOptions & { readonly keeper: ReportKeeper },
): Promise<boolean> {
  if (parseOldPackageName(name) === undefined) {
    const reason = "This registry does not accept this package name.";
    options.keeper.add({ status: "refused", reason }, { name, kind: "package" });
    options.onProgress();
    return true;
  }
  try {
    const sourcePackage = await source.open(name, options.signal);
    if (sourcePackage) return await importPackage(ports, sourcePackage, options);
    options.keeper.fail({ name, reason: "The source does not have this package." });
  } catch (error) {
    options.signal.throwIfAborted();
    if (!isSourceError(error)) throw error;
    options.keeper.fail({ name, reason: error.message });
  }
  options.onProgress();
  return false;
}
