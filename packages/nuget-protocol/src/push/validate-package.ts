import type { ByteSource } from "@sealhouse/http-responses";
import { ArchiveError } from "../archive/archive-error.ts";
import type { ArchiveEntry, CentralDirectory } from "../archive/central-directory.ts";
import type { InflationLimits } from "../archive/check-content.ts";
import { checkContent } from "../archive/check-content.ts";
import { findEntry } from "../archive/central-directory.ts";
import { EMBEDDED_BYTES_MAX, pictureTypeOf } from "../content/embedded-file.ts";
import { openNupkg } from "../archive/nupkg.ts";
import type { Nuspec, NuspecOptions } from "../manifest/nuspec.ts";
import { isSemVer2Nuspec, parseNuspec } from "../manifest/nuspec.ts";
import { packageWarnings } from "./package-warnings.ts";
import type { PackageVersion } from "../notation/package-version.ts";
import { parsePackageVersion } from "../notation/package-version.ts";

/** Facts of a valid package. */
export type ReadPackage = {
  readonly nuspec: Nuspec;
  readonly nuspecBytes: Uint8Array;
  readonly version: PackageVersion;
  readonly isSemVer2: boolean;
  readonly isSigned: boolean;
  /** Names of all entries of the archive. */
  readonly entryPaths: readonly string[];
  /** Advice for the author, although the package is accepted. */
  readonly warnings: readonly string[];
};

export type PackageValidity =
  | { readonly status: "valid"; readonly package: ReadPackage }
  | InvalidPackage;

export type InvalidPackage = {
  readonly status: "invalid";
  readonly problems: readonly string[];
  /** Whether bytes are missing or wrong, as after a broken transfer. */
  readonly isDamaged: boolean;
};

const PROBLEMS_MAX = 20;

type NamedFile = { readonly role: string; readonly path: string; readonly endings: RegExp };

/** Every reason why a package is unacceptable, or what it holds. Reads the file by ranges. */
export async function validatePackage(
  source: ByteSource,
  limits?: InflationLimits,
  options: Pick<NuspecOptions, "isForeign"> = {},
): Promise<PackageValidity> {
  try {
    const {
      directory,
      nuspec: bytes,
      isSigned,
    } = await openNupkg(source, {
      allowsRepeats: options.isForeign === true,
    });
    const outcome = parseNuspec(bytes, options);
    const problems = outcome.status === "valid" ? rulesBroken(outcome.nuspec) : outcome.problems;
    const isChecked = outcome.status === "valid" && options.isForeign !== true;
    const files = isChecked ? namedFiles(outcome.nuspec) : [];
    const missing = files.flatMap((file) => fileProblem(file, directory) ?? []);
    const entries = new Set(files.map((file) => findEntry(directory, file.path)));
    const keep = (entry: ArchiveEntry) => entries.has(entry) && entry.size <= EMBEDDED_BYTES_MAX;
    const bytesByPath = await checkContent(source, directory, keep, limits);
    const broken = files.flatMap((file) => contentProblem(file, directory, bytesByPath) ?? []);
    const all = [...problems, ...missing, ...broken];
    const version = outcome.status === "valid" && parsePackageVersion(outcome.nuspec.version);
    if (outcome.status === "invalid" || !version || all.length > 0) return invalid(all);
    const { nuspec } = outcome;
    const [isSemVer2, warnings] = [isSemVer2Nuspec(nuspec), packageWarnings(nuspec)];
    const read = { nuspec, nuspecBytes: bytes, version, isSemVer2, isSigned, warnings };
    const entryPaths = directory.entries.map(({ path }) => path);
    return { status: "valid", package: { ...read, entryPaths } };
  } catch (error) {
    if (error instanceof ArchiveError) return invalid([error.message], error.isDamage);
    throw error;
  }
}

function invalid(problems: readonly string[], isDamaged = false): InvalidPackage {
  return { status: "invalid", problems: problems.slice(0, PROBLEMS_MAX), isDamaged };
}

function rulesBroken({ packageTypes }: Nuspec): readonly string[] {
  const isSymbols = packageTypes.some(({ name }) => name.toLowerCase() === "symbolspackage");
  return isSymbols ? ["A symbols package must be pushed to the symbols address."] : [];
}

function namedFiles({ icon, readme, license }: Nuspec): readonly NamedFile[] {
  const files: NamedFile[] = [];
  if (icon !== undefined) files.push({ role: "icon", path: icon, endings: /\.(?:jpe?g|png)$/i });
  if (readme !== undefined) files.push({ role: "readme", path: readme, endings: /\.md$/i });
  if (license?.type === "file") {
    files.push({ role: "license", path: license.text, endings: /(?:^|\/)[^/.]+$|\.(?:txt|md)$/i });
  }
  return files;
}

function fileProblem(file: NamedFile, directory: CentralDirectory): string | undefined {
  const { role, path, endings } = file;
  const shown = path.slice(0, 200);
  const entry = findEntry(directory, path);
  if (!entry) return `The ${role} file "${shown}" is not in the package.`;
  if (!endings.test(path)) return `The ${role} file "${shown}" has the wrong kind of name.`;
  if (entry.size > EMBEDDED_BYTES_MAX)
    return `The ${role} file is over ${EMBEDDED_BYTES_MAX} bytes.`;
  return undefined;
}

function contentProblem(
  { role, path }: NamedFile,
  directory: CentralDirectory,
  bytesByPath: ReadonlyMap<string, Uint8Array>,
): string | undefined {
  const bytes = bytesByPath.get(findEntry(directory, path)?.path ?? "");
  if (!bytes) return undefined;
  if (role === "icon" && pictureTypeOf(bytes) === undefined)
    return "The icon file is neither a PNG nor a JPEG.";
  if (role === "readme" && !isUtf8(bytes)) return "The readme file is not valid UTF-8 text.";
  return undefined;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes) !== undefined;
  } catch {
    return false;
  }
}
