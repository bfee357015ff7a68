import { accessCases } from "./access-cases.ts";
import { blobCases } from "./blob-cases.ts";
import type { ConformanceCase, ConformanceTarget, Need } from "./conversation.ts";
import { deletionCases } from "./deletion-cases.ts";
import { listingCases } from "./listing-cases.ts";
import { manifestCases } from "./manifest-cases.ts";
import { nestingCases } from "./nesting-cases.ts";
import { surfaceCases } from "./surface-cases.ts";
import { uploadCases } from "./upload-cases.ts";
import { uploadSessionCases } from "./upload-session-cases.ts";

export type ConformanceGroup = {
  readonly name: string;
  readonly cases: readonly ConformanceCase[];
};

/** The cases by what they are about, in the order in which they are run. */
export const ociConformanceGroups: readonly ConformanceGroup[] = [
  { name: "surface", cases: surfaceCases },
  { name: "uploads", cases: [...uploadCases, ...uploadSessionCases] },
  { name: "blobs", cases: blobCases },
  { name: "manifests", cases: [...manifestCases, ...nestingCases] },
  { name: "listings", cases: listingCases },
  { name: "deletions", cases: deletionCases },
  { name: "access", cases: accessCases },
];

/**
 * Requirements on a registry, case by case. Independent of a test runner: `run(converse(target))`.
 */
export const ociConformance: readonly ConformanceCase[] = ociConformanceGroups.flatMap(
  ({ cases }) => cases,
);

/** The numbers of a case in docs/oci-conformance.md: `H12`, `1.2/4`, `3.8`. */
export function idsOf({ covers }: Pick<ConformanceCase, "covers">): readonly string[] {
  return covers.split(",").map((id) => id.trim());
}

/** Whether the target has all that a case needs. */
export function isApplicable(
  conformanceCase: Pick<ConformanceCase, "needs">,
  target: ConformanceTarget,
) {
  return missingFor(conformanceCase, target).length === 0;
}

/** The option that the target lacks for a case. */
export function missingFor(
  { needs = [] }: Pick<ConformanceCase, "needs">,
  target: ConformanceTarget,
): readonly Need[] {
  return needs.filter((need) => target[need] === undefined);
}
