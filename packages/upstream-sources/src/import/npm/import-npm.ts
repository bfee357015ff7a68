import { stat } from "node:fs/promises";
import { SourceError } from "../../source-error.ts";
import type { ImportProgress } from "../progress.ts";
import { endProgress } from "../progress.ts";
import type { ImportReport } from "../report.ts";
import type { NpmImportPorts } from "./import-package.ts";
import type { NpmSource } from "./npm-source.ts";
import type { PackageChoice } from "./package-choice.ts";
import type { NpmImportOptions } from "./run-npm-import.ts";
import { runNpmImport } from "./run-npm-import.ts";
import { openVerdaccioFolder } from "./verdaccio-folder.ts";

/** The packages of a source to import. */
export type NpmSelection = {
  readonly source: NpmSource;
  readonly choice: PackageChoice;
  readonly progress?: ImportProgress | undefined;
  /** Receives sentences for the operator. */
  readonly onNotice: (text: string) => void;
};

/** Imports the chosen packages of a source, and saves the progress.
 * @throws {SourceError} when the names cannot be read */
export async function importNpmPackages(
  ports: NpmImportPorts,
  { source, choice, progress, onNotice }: NpmSelection,
  options: Omit<NpmImportOptions, "includes" | "onDone">,
): Promise<ImportReport> {
  const { names: all, remarks } = choice.names
    ? { names: choice.names, remarks: [] }
    : await source.names(options.signal);
  for (const remark of remarks) onNotice(remark);
  const chosen = all.filter((name) => choice.covers(name));
  const names = chosen.filter((name) => progress?.isDone(name) !== true);
  onNotice(`${names.length} packages to compare.`);
  const report = await runNpmImport(
    ports,
    { source, names },
    {
      ...options,
      includes: (name, version) => choice.includes(name, version),
      onDone: (name) => progress?.markDone(name),
    },
  );
  await endProgress(progress, report);
  return report;
}

/** Opens the storage folder of a Verdaccio. `withCopies`: also packages that it cached.
 * @throws {SourceError} when the folder does not exist */
export async function openNpmFolder(folder: string, withCopies: boolean): Promise<NpmSource> {
  const stats = await stat(folder).catch(() => undefined);
  if (stats?.isDirectory()) return openVerdaccioFolder(folder, withCopies);
  throw new SourceError(
    `The folder ${folder} does not exist. The address of a registry begins with http or https.`,
  );
}
