// The order of test files: within a project of vitest the longest first, so that at the end of a run
// no processor waits for one long file. A clean clone has no times of an earlier run.
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/** Files that take longest, dearest first; `pnpm test:times` prints them. */
export const LONGEST: readonly string[] = [
  "database/src/contracts.database",
  "storage-aws-s3.clients",
  "npm-clients/trusted-publishing",
  "npm-clients/tokens",
  "upstream/manual-pages",
  "readme-examples",
  "database/src/processes.database",
  "browser/sign-in",
  "self-signed",
  "signing-states",
  "promotion/targets.clients",
  "promotion/promote",
  "owners.database",
  "operator-pages.database",
  "interleaved.database",
  "database-copy.database",
  "unavailable.database",
  "stored-certificate",
  "storage-azure-blob",
  "events-out",
  "oci-copies.clients",
  "clients/oci-sign-in",
  "clients/image-seals",
  "faults/kill-oci-push",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Files of a project stay together: only then they share the modules of a worker.
    // oxlint-disable-next-line unicorn/no-array-sort -- A method of vitest, which returns a copy.
    const sorted = await super.sort(files);
    const byProject = Map.groupBy(sorted, ({ project }) => project.name);
    return [...byProject.values()].flatMap((own) =>
      own.toSorted((a, b) => rankOf(a.moduleId) - rankOf(b.moduleId)),
    );
  }
}

/** Others keep the order of vitest. */
function rankOf(path: string): number {
  const index = LONGEST.findIndex((name) => path.endsWith(`${name}.test.ts`));
  return index === -1 ? LONGEST.length : index;
}
