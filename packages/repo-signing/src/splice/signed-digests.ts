import { createHash } from "node:crypto";
import type { PackageBytes } from "../ports.ts";
import type { SplicePlan } from "./splice-plan.ts";
import { spliced } from "./splice-plan.ts";

/** Digests of a signed file, as clients download it. */
export type SignedDigests = {
  /** Lower-case hex. */
  readonly sha256: string;
  /** Base64. */
  readonly sha512: string;
};

/** Reads the signed file once. Throws only when `file` cannot be read. */
export async function signedDigests(file: PackageBytes, plan: SplicePlan): Promise<SignedDigests> {
  const [sha256, sha512] = [createHash("sha256"), createHash("sha512")];
  for await (const chunk of spliced(file, plan).read()) {
    sha256.update(chunk);
    sha512.update(chunk);
  }
  return { sha256: sha256.digest("hex"), sha512: sha512.digest("base64") };
}
