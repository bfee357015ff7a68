import { stat } from "node:fs/promises";
import type { NuGetClient } from "@sealhouse/nuget-protocol/client";
import { SourceError } from "../../source-error.ts";
import type { ImportProgress } from "../progress.ts";
import { endProgress } from "../progress.ts";
import type { ImportReport } from "../report.ts";
import { findFeedIds, readIdFile } from "./feed-ids.ts";
import { feedGroup } from "./feed-source.ts";
import { folderGroups } from "./folder-source.ts";
import type { NuGetImportPorts } from "./import-candidate.ts";
import type { NuGetImportOptions } from "./run-nuget-import.ts";
import { runNuGetImport } from "./run-nuget-import.ts";

/** A feed to import, by its client. */
export type NuGetFeedSource = {
  readonly client: Pick<
    NuGetClient,
    "resource" | "catalog" | "search" | "versions" | "registration" | "package" | "symbols"
  > &
    Pick<NuGetClient, "catalogLeaf">;
  /** File with the ids to import, one per line. Default: all ids of the feed. */
  readonly idFile?: string | undefined;
  /** Requests the symbol package of every version: one request each. */
  readonly withSymbols: boolean;
  readonly progress?: ImportProgress | undefined;
  /** Receives sentences for the operator. */
  readonly onNotice: (text: string) => void;
};

/** Imports the packages, then the symbol packages, in a folder and all folders below it.
 * @throws {SourceError} when the folder does not exist */
export async function importNuGetFolder(
  ports: NuGetImportPorts,
  folder: string,
  options: NuGetImportOptions,
): Promise<ImportReport> {
  const stats = await stat(folder).catch(() => undefined);
  if (!stats?.isDirectory()) {
    throw new SourceError(
      `The folder ${folder} does not exist. The address of a feed begins with http or https.`,
    );
  }
  const passes = [folderGroups(folder, "package"), folderGroups(folder, "symbols")];
  return runNuGetImport(ports, passes, options);
}

/** Imports all versions of the ids of another feed, and saves the progress.
 * @throws {SourceError | CallError} when the ids cannot be read */
export async function importNuGetFeed(
  ports: NuGetImportPorts,
  { client, idFile, withSymbols, progress, onNotice }: NuGetFeedSource,
  options: NuGetImportOptions,
): Promise<ImportReport> {
  const { signal } = options;
  const { ids, cursor, remarks } =
    idFile === undefined
      ? await findFeedIds(client, { after: progress?.cursor, signal })
      : await readIdFile(idFile);
  for (const remark of remarks) onNotice(remark);
  const remaining = ids.filter((id) => progress?.isDone(id) !== true);
  onNotice(`${remaining.length} packages to compare.`);
  const groups = remaining.map((id) => {
    const done = () => progress?.markDone(id);
    return feedGroup({ client, lookup: ports.lookup }, id, { withSymbols, done });
  });
  const report = await runNuGetImport(ports, [groups], options);
  await endProgress(progress, report, cursor);
  return report;
}
