import type { JsonObject } from "../json.ts";
import type { GunzipLimits } from "./gunzip.ts";
import { gunzip } from "./gunzip.ts";
import { parsePackageJson } from "./package-json.ts";
import { refused } from "./refused.ts";
import type { TarEntry } from "./tar-entries.ts";
import { readTar } from "./tar-entries.ts";

/** Limits of a tarball's contents. */
export type TarballLimits = GunzipLimits & {
  /** Files and folders; folders that only paths name count apart, and no more of them may be. */
  readonly entries: number;
  /** All long names and other extension headers together. */
  readonly extensionBytes: number;
  readonly packageJsonBytes: number;
  /** Bytes of all paths together, which are held in memory to find duplicates. */
  readonly pathBytes: number;
};

/** The limits of `inspectTarball` by default. */
export const TARBALL_LIMITS: TarballLimits = {
  unpackedBytes: 2 * 1024 ** 3,
  ratio: 200,
  ratioFromBytes: 16 * 1024 ** 2,
  entries: 100_000,
  extensionBytes: 32 * 1024 ** 2,
  packageJsonBytes: 2 * 1024 ** 2,
  pathBytes: 16 * 1024 ** 2,
};

/** Metadata of a packed package. */
export type InspectedTarball = {
  readonly packageJson: JsonObject;
  readonly fileCount: number;
  /** The files' sizes together, in bytes. */
  readonly unpackedSize: number;
  readonly hasShrinkwrap: boolean;
  readonly hasBindingGyp: boolean;
  /** Any `*.gyp` at the top: npm then adds an install script to what it publishes. */
  readonly hasGyp: boolean;
  /** The first files whose paths differ from another's in letter case only: some file systems keep
   * one of the two. */
  readonly caseTwins: readonly string[];
};

/**
 * Reads a gzipped tarball without unpacking it to disk.
 * @throws NpmError `tarball-refused` for all contents that clients would install differently, or
 *   that would leave the folder: links, devices, `..`, two top folders, duplicate paths, bombs and
 *   so on
 */
export async function inspectTarball(
  file: AsyncIterable<Uint8Array>,
  packedBytes: number,
  limits: TarballLimits = TARBALL_LIMITS,
): Promise<InspectedTarball> {
  const survey = surveyOf(limits);
  let packageJson: JsonObject | undefined;
  const unpacked = gunzip(file, packedBytes, limits);
  try {
    await readTar(
      unpacked,
      (entry) => survey.note(entry),
      (_, content) => {
        packageJson = parsePackageJson(content);
      },
      limits.extensionBytes,
    );
    for await (const _ of unpacked); // to its end, for the checksum
  } finally {
    await unpacked.return(undefined);
  }
  if (!packageJson) throw refused("has no package.json in its top folder");
  return { packageJson, ...survey.result() };
}

const CASE_TWINS_MAX = 3;
/** Top-level keys that must be unambiguous: they decide what is installed and run. */
const DECIDING = /^[^/]+\/(?:package\.json|npm-shrinkwrap\.json|binding\.gyp)$/;

function surveyOf(limits: TarballLimits) {
  const files = filesOf();
  const folders = foldersOf(limits);
  const topFiles = new Set<string>();
  let top: string | undefined;
  let entries = 0;
  let pathBytes = 0;
  let unpackedSize = 0;

  return {
    note(entry: TarEntry): "skip" | "read" {
      entries += 1;
      if (entries > limits.entries) throw refused(`has more than ${limits.entries} entries`);
      const problem = problemOfPath(entry.path, entry.type);
      if (problem) throw refused(`has the path ${shown(entry.path)}, which ${problem}`);
      const [first = "", second, ...deeper] = entry.path.split("/");
      top ??= first;
      if (first !== top) throw refused(`has two top folders, ${shown(top)} and ${shown(first)}`);
      const folded = entry.path.toLowerCase();
      if (folders.clash(folded, entry.type, files.folded)) {
        throw refused(`has the path ${shown(entry.path)}, which makes a file a folder too`);
      }
      if (entry.type === "directory") return "skip";

      pathBytes += entry.path.length;
      if (pathBytes > limits.pathBytes) throw refused("has paths that are too long together");
      files.note(entry.path, folded);
      unpackedSize += entry.size;
      if (second === undefined || deeper.length > 0) return "skip";
      topFiles.add(second);
      if (second !== "package.json") return "skip";
      if (entry.size > limits.packageJsonBytes) throw refused("has a package.json over 2 MiB");
      return "read";
    },
    result: () => ({
      fileCount: files.count(),
      unpackedSize,
      hasShrinkwrap: topFiles.has("npm-shrinkwrap.json"),
      hasBindingGyp: topFiles.has("binding.gyp"),
      hasGyp: [...topFiles].some((file) => file.endsWith(".gyp")),
      caseTwins: files.caseTwins,
    }),
  };
}

/** The paths of files, each once. */
function filesOf() {
  const paths = new Set<string>();
  const folded = new Set<string>();
  const caseTwins: string[] = [];
  return {
    /** In lower case. */
    folded,
    caseTwins,
    count: () => paths.size,
    note(path: string, lowerCase: string): void {
      if (paths.has(path)) throw refused(`has ${shown(path)} twice`);
      paths.add(path);
      if (folded.has(lowerCase)) {
        if (DECIDING.test(lowerCase)) throw refused(`has ${shown(path)} twice, letter case aside`);
        if (caseTwins.length < CASE_TWINS_MAX) caseTwins.push(path);
      }
      folded.add(lowerCase);
    },
  };
}

/** The folders that paths lead through, in lower case. A file of the same name would be taken for
 * either, as the client likes. */
function foldersOf({ entries }: TarballLimits) {
  const knownFolders = new Set<string>();
  return {
    /** Notes those of one more path; whether one of `files` is a folder now. */
    clash(path: string, type: TarEntry["type"], files: ReadonlySet<string>): boolean {
      let folder = type === "directory" ? path.replace(/\/$/, "") : parentOf(path);
      while (folder !== "" && !knownFolders.has(folder)) {
        if (files.has(folder)) return true;
        knownFolders.add(folder);
        if (knownFolders.size > entries) throw refused(`has more than ${entries} folders`);
        folder = parentOf(folder);
      }
      return type === "file" && knownFolders.has(path);
    },
  };
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function shown(path: string): string {
  return JSON.stringify(path.slice(0, 100));
}

const PATH_BYTES_MAX = 1024;
const COMPONENT_BYTES_MAX = 255;

/**
 * The reason why a path must not be in a package, which continues "has the path X, which …";
 * undefined when it may. A folder's path may end with a slash.
 */
export function problemOfPath(path: string, type: "file" | "directory"): string | undefined {
  const trimmed = type === "directory" && path.endsWith("/") ? path.slice(0, -1) : path;
  const components = trimmed.split("/");
  if (path.startsWith("/")) return "is absolute";
  if (path.includes("\\")) return "holds a backslash";
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\0-\x1f\x7f-\x9f]/.test(path)) return "holds a control character";
  if (components.includes("..")) return "leads out of the package";
  if (components.includes(".") || components.includes("")) return "has an empty part";
  if (path !== path.normalize("NFC")) return "is not in Unicode normal form C";
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return `is longer than ${PATH_BYTES_MAX} bytes`;
  if (components.some((part) => Buffer.byteLength(part) > COMPONENT_BYTES_MAX)) {
    return `has a part longer than ${COMPONENT_BYTES_MAX} bytes`;
  }
  return type === "file" && components.length < 2 ? "lies outside the top folder" : undefined;
}
