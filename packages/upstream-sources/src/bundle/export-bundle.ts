import type { KeyObject } from "node:crypto";
import type { Brought } from "../fill/brought.ts";
import type { Complaint } from "../import/report.ts";
import { fitsPlatforms, joinWanted } from "../wanted/join-wanted.ts";
import type { Platforms } from "../wanted/join-wanted.ts";
import type { Unbundled, Wanted, WantedList } from "../wanted/wanted.ts";
import { isGap, labelOf } from "../wanted/wanted.ts";
import type { BundleContents } from "./bundle-contents.ts";
import { createContents } from "./bundle-contents.ts";
import { signIndex } from "./bundle-key.ts";
import type { Collected } from "./collected.ts";
import { refused } from "./collected.ts";
import type { ImageExportPorts } from "./collect-images.ts";
import { collectImage } from "./collect-images.ts";
import type { NpmExportPorts } from "./collect-npm.ts";
import { collectNpm } from "./collect-npm.ts";
import type { NuGetExportPorts } from "./collect-nuget.ts";
import { collectNuGet } from "./collect-nuget.ts";
import { writeBundle } from "./write-bundle.ts";

/** The ports that an export reads. */
export type BundleExportPorts = {
  readonly nuget: NuGetExportPorts;
  readonly npm: NpmExportPorts;
  readonly oci: ImageExportPorts;
  /** Brings a wanted package or image into the registry. */
  readonly fetchMissing?: (wanted: Wanted, signal: AbortSignal) => Promise<Brought>;
};

/** Options of `exportBundle`. */
export type BundleExportOptions = {
  /** Path of the tar. */
  readonly path: string;
  /** Key of the signature; undefined writes none. */
  readonly key: KeyObject | undefined;
  /** Writes the bundle although something is missing. */
  readonly allowMissing: boolean;
  readonly platforms: Platforms;
  readonly signal: AbortSignal;
};

/** Result of an export. */
export type BundleExportReport = {
  /** Versions and images in the bundle. */
  readonly bundled: { readonly nuget: number; readonly npm: number; readonly oci: number };
  /** npm packages for other platforms. */
  readonly filtered: number;
  readonly missing: readonly Complaint[];
  /** Entries that no registry has. */
  readonly unbundled: readonly Unbundled[];
  /** Bytes of all files; 0 when the bundle was not written. */
  readonly bytes: number;
  readonly isWritten: boolean;
  /** Nothing is missing, apart from projects of the workspace. */
  readonly isComplete: boolean;
};

/**
 * Writes the wanted packages and images of this registry as one file. Equal contents give equal
 * bytes.
 * @throws {SourceError} when stored bytes are damaged
 */
export async function exportBundle(
  ports: BundleExportPorts,
  lists: readonly WantedList[],
  options: BundleExportOptions,
): Promise<BundleExportReport> {
  const { path, key, allowMissing, platforms, signal } = options;
  const contents = createContents();
  const { wanted, unbundled } = joinWanted(lists);
  const bundled = { nuget: 0, npm: 0, oci: 0 };
  const missing: Complaint[] = [];
  const chosen = wanted.filter(
    (entry) => entry.protocol === "oci" || fitsPlatforms(entry, platforms),
  );
  for (const entry of chosen) {
    signal.throwIfAborted();
    const collected = await collectOrFetch(ports, entry, { contents, signal });
    if (collected.status === "bundled") bundled[entry.protocol] += 1;
    else missing.push({ name: labelOf(entry), reason: reasonOf(collected, entry) });
  }
  const isComplete = missing.length === 0 && !unbundled.some(isGap);
  const isWritten = isComplete || allowMissing;
  const files = isWritten ? contents.files() : [];
  if (isWritten) {
    const signature = key && signIndex(key, contents.index());
    await writeBundle(path, files, { signature, signal });
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const filtered = wanted.length - chosen.length;
  return { bundled, filtered, missing, unbundled, bytes, isWritten, isComplete };
}

type Collecting = { readonly contents: BundleContents; readonly signal: AbortSignal };

async function collectOrFetch(
  ports: BundleExportPorts,
  entry: Wanted,
  collecting: Collecting,
): Promise<Collected> {
  const collected = await collect(ports, entry, collecting);
  if (collected.status !== "absent" || !ports.fetchMissing) return collected;
  const brought = await ports.fetchMissing(entry, collecting.signal);
  if (brought.status === "missing") return refused(brought.reason);
  return collect(ports, entry, collecting);
}

function collect(
  ports: BundleExportPorts,
  entry: Wanted,
  collecting: Collecting,
): Promise<Collected> {
  switch (entry.protocol) {
    case "nuget":
      return collectNuGet(ports.nuget, entry, collecting.contents);
    case "npm":
      return collectNpm(ports.npm, entry, collecting.contents);
    case "oci":
      return collectImage(ports.oci, entry, collecting);
  }
}

function reasonOf(
  collected: Exclude<Collected, { readonly status: "bundled" }>,
  { from }: Wanted,
): string {
  const { reason = "This registry does not have it." } = collected;
  return `${reason} Listed in ${from}.`;
}
