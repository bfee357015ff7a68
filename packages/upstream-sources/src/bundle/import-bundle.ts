import type { Caller } from "@sealhouse/request-types";
import type { NpmImportPorts } from "../import/npm/import-package.ts";
import { runNpmImport } from "../import/npm/run-npm-import.ts";
import type { Candidate, CandidateGroup } from "../import/nuget/candidate.ts";
import type { NuGetImportPorts } from "../import/nuget/import-candidate.ts";
import { runNuGetImport } from "../import/nuget/run-nuget-import.ts";
import type { OciImportPorts } from "../import/oci/run-oci-import.ts";
import { runOciImport } from "../import/oci/run-oci-import.ts";
import type { ImportReport } from "../import/report.ts";
import { joinReports } from "../import/report.ts";
import { bundledImages } from "./bundled-images.ts";
import { bundledNpm } from "./bundled-npm.ts";
import { openBundleFile } from "./bundle-file.ts";
import type { BundleTrust } from "./bundle-file.ts";
import type { Bundle } from "./read-bundle.ts";
import { readBundle } from "./read-bundle.ts";

/** The ports that an import writes to. */
export type BundleImportPorts = {
  readonly nuget: NuGetImportPorts;
  readonly npm: NpmImportPorts;
  readonly oci: OciImportPorts;
};

/** Options of `importBundle`. */
export type BundleImportOptions = {
  readonly trust: BundleTrust;
  readonly caller: Caller;
  readonly now: () => Date;
  readonly dryRun: boolean;
  /** Moves a tag that points to another image. Otherwise the import refuses the image. */
  readonly moveTags: boolean;
  /** Maximum sizes in bytes of a file of each protocol. */
  readonly maxBytes: {
    readonly nuget: number | undefined;
    readonly npm: number;
    readonly oci: number;
  };
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly onProgress: (report: ImportReport) => void;
};

/**
 * Imports a bundle with all checks of a push, after its signature and every digest were checked.
 * What the registry has stays unchanged.
 * @throws {SourceError} for a bundle that is damaged or not trusted; then nothing is imported
 */
export async function importBundle(
  ports: BundleImportPorts,
  path: string,
  options: BundleImportOptions,
): Promise<ImportReport> {
  const { trust, signal } = options;
  await using file = await openBundleFile(path, { trust, signal });
  const bundle = await readBundle(file);
  const reports: ImportReport[] = [];
  const onProgress = (report: ImportReport) =>
    options.onProgress(joinReports([...reports, report]));
  const parts = [importNuGet, importNpm, importImages];
  for (const importPart of parts) {
    const report = await importPart(ports, bundle, { ...options, onProgress });
    reports.push(report);
    if (report.isInterrupted) break;
  }
  return joinReports(reports);
}

function importNuGet(
  { nuget }: BundleImportPorts,
  bundle: Bundle,
  options: BundleImportOptions,
): Promise<ImportReport> {
  const groups = bundle.nuget.map((entry): CandidateGroup => {
    const candidate = candidateOf(bundle, entry);
    return { label: candidate.label, load: async () => [candidate] };
  });
  const { maxBytes } = options;
  return runNuGetImport(nuget, [groups], {
    ...options,
    origin: "Published",
    maxBytes: maxBytes.nuget,
  });
}

function candidateOf({ file }: Bundle, { config, layer }: Bundle["nuget"][number]): Candidate {
  const { id, version, listed, publishedAt, origin, deprecation } = config;
  return {
    kind: "package",
    label: `${id} ${version}`,
    identity: { id, version },
    sha256: layer.slice("sha256:".length),
    past: async () => ({
      listed,
      origin,
      ...(publishedAt && { publishedAt }),
      ...(deprecation && { deprecation }),
    }),
    open: async (signal) => ({
      body: file.read(layer, signal),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  };
}

function importNpm(
  { npm }: BundleImportPorts,
  bundle: Bundle,
  options: BundleImportOptions,
): Promise<ImportReport> {
  const names = [...new Set(bundle.npm.map(({ config }) => config.name))];
  return runNpmImport(
    npm,
    { source: bundledNpm(bundle), names },
    {
      ...options,
      maxBytes: options.maxBytes.npm,
      failFast: false,
      includes: () => true,
      onDone: () => undefined,
    },
  );
}

function importImages(
  { oci }: BundleImportPorts,
  bundle: Bundle,
  options: BundleImportOptions,
): Promise<ImportReport> {
  return runOciImport(oci, bundledImages(bundle), {
    ...options,
    maxBlobBytes: options.maxBytes.oci,
    failFast: false,
    targetName: (name) => name,
    includesTag: () => true,
    isDone: () => false,
    onDone: () => undefined,
  });
}
