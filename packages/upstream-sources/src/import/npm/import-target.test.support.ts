import { createMemoryNpmPorts } from "@sealhouse/npm-protocol/testing";
import type { NpmPackage } from "@sealhouse/npm-protocol";
import type { ImportProgress } from "../progress.ts";
import { importNpmPackages } from "./import-npm.ts";
import type { NpmSource } from "./npm-source.ts";
import type { ChoiceOptions } from "./package-choice.ts";
import { parsePackageChoice } from "./package-choice.ts";
import type { NpmImportOptions } from "./run-npm-import.ts";

export const NOW = new Date("2026-01-02T03:04:05Z");

type Options = ChoiceOptions &
  Partial<Omit<NpmImportOptions, "onDone" | "includes">> & { readonly progress?: ImportProgress };

/** A registry in memory that imports. */
export function openTarget() {
  const ports = createMemoryNpmPorts({ now: () => NOW });
  const notices: string[] = [];
  const run = async (source: NpmSource, options: Options = {}) => {
    const { packages, packagesFrom, pattern, progress, ...more } = options;
    const choice = await parsePackageChoice({
      ...(packages !== undefined && { packages }),
      ...(packagesFrom !== undefined && { packagesFrom }),
      ...(pattern !== undefined && { pattern }),
    });
    return importNpmPackages(
      ports,
      { source, choice, progress, onNotice: (text) => notices.push(text) },
      {
        caller: { actor: "import" },
        now: () => NOW,
        dryRun: false,
        maxBytes: 10_000_000,
        concurrency: 2,
        failFast: false,
        signal: new AbortController().signal,
        onProgress: () => undefined,
        ...more,
      },
    );
  };
  const find = async (name: string): Promise<NpmPackage> => {
    const found = await ports.lookup.find(name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  };
  return { ports, notices, run, find };
}
