import { blobCases } from "./blob-cases.ts";
import type { OciPortsCase } from "./contract-case.ts";
import { listingCases } from "./listing-cases.ts";
import { manifestCases } from "./manifest-cases.ts";
import { uploadCases } from "./upload-cases.ts";

/**
 * Contract of the catalog ports. Independent of a test runner: loop over it, with an empty catalog
 * for each case.
 */
export const ociPortsContract: readonly OciPortsCase[] = [
  ...blobCases,
  ...manifestCases,
  ...listingCases,
  ...uploadCases,
];
