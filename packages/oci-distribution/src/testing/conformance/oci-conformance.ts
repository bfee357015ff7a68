import { accessCases } from "./access-cases.ts";
import { blobCases } from "./blob-cases.ts";
import type { ConformanceCase, ConformanceTarget } from "./conversation.ts";
import { deletionCases } from "./deletion-cases.ts";
import { listingCases } from "./listing-cases.ts";
import { manifestCases } from "./manifest-cases.ts";
import { surfaceCases } from "./surface-cases.ts";
import { uploadCases } from "./upload-cases.ts";

/** What a registry must do, case by case. Runner-neutral: `run(converse(target))`. */
export const ociConformance: readonly ConformanceCase[] = [
  ...surfaceCases,
  ...uploadCases,
  ...blobCases,
  ...manifestCases,
  ...listingCases,
  ...deletionCases,
  ...accessCases,
];

/** Whether the target has all that a case needs. */
export function isApplicable({ needs = [] }: ConformanceCase, target: ConformanceTarget): boolean {
  return needs.every((need) => target[need] !== undefined);
}
