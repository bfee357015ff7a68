import { stat } from "node:fs/promises";
import { join } from "node:path";
import { coversName } from "@sealhouse/identity";
import { SourceError } from "../../source-error.ts";
import type { ImportProgress } from "../progress.ts";
import { endProgress } from "../progress.ts";
import { openLayoutFolder } from "./layout-folder.ts";
import type { OciSource } from "./oci-source.ts";
import type { OciImportOptions, OciImportPorts, OciImportReport } from "./run-oci-import.ts";
import { runOciImport } from "./run-oci-import.ts";
import { findStorage, storageFolder } from "./storage-folder.ts";

/** The images of a source to import. */
export type ImageSelection = {
  readonly source: OciSource;
  /** Name patterns such as `team/*`. Undefined: all repositories. */
  readonly patterns?: readonly string[] | undefined;
  /** Tag patterns such as `1.*`; `*` matches any text. Undefined: all tags. */
  readonly tags?: readonly string[] | undefined;
  /** Prefix of all names in this registry: `mirror`. */
  readonly into?: string | undefined;
  readonly progress?: ImportProgress | undefined;
};

type RunOptions = Omit<OciImportOptions, "targetName" | "includesTag" | "isDone" | "onDone">;

/** Imports the selected images of a source, and saves the progress.
 * @throws {SourceError | CallError} when the repositories cannot be listed */
export async function importImages(
  ports: OciImportPorts,
  { source, patterns, tags, into, progress }: ImageSelection,
  options: RunOptions,
): Promise<OciImportReport> {
  const covers = (name: string) =>
    patterns?.some((pattern) => coversName(pattern, "oci", name)) ?? true;
  const tagPatterns = tags?.map(tagPattern);
  const report = await runOciImport(ports, source, {
    ...options,
    targetName: (name) => (covers(name) ? withPrefix(into, name) : undefined),
    includesTag: (tag) => tagPatterns?.some((pattern) => pattern.test(tag)) ?? true,
    isDone: (name) => progress?.isDone(name) === true,
    onDone: (name) => progress?.markDone(name),
  });
  await endProgress(progress, report);
  return report;
}

function withPrefix(prefix: string | undefined, name: string): string {
  return prefix === undefined ? name : `${prefix}/${name}`;
}

function tagPattern(text: string): RegExp {
  const parts = text.trim().split("*");
  return new RegExp(`^${parts.map((part) => RegExp.escape(part)).join(".*")}$`);
}

/**
 * Opens an OCI layout or the storage folder of a docker-registry.
 * @throws {SourceError} for any other folder
 */
export async function openOciFolder(
  folder: string,
  options: {
    /** The repositories to import; for a layout, the name of its repository. Default: all. */
    readonly repositories?: string | undefined;
    /** Imports manifests without a tag too. */
    readonly withUntagged: boolean;
  },
): Promise<OciSource> {
  const { repositories, withUntagged } = options;
  const layout = await stat(join(folder, "oci-layout")).catch(() => undefined);
  if (layout?.isFile() === true) return openLayoutFolder(folder, repositories);
  const storage = await findStorage(folder);
  if (storage === undefined) {
    throw new SourceError(
      `${folder} is neither an OCI layout nor the storage folder of a registry. ` +
        "The address of a registry begins with http or https.",
    );
  }
  const names = repositories?.split(",").map((name) => name.trim());
  const all = storageFolder(storage, { withUntagged });
  return names ? onlyRepositories(all, new Set(names)) : all;
}

function onlyRepositories(source: OciSource, names: ReadonlySet<string>): OciSource {
  return {
    async *repositories(signal) {
      for await (const repository of source.repositories(signal)) {
        if (names.has(repository.name)) yield repository;
      }
    },
  };
}
