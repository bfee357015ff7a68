import { fitsIntegrity } from "@sealhouse/npm-protocol";
import type { NpmVersion } from "@sealhouse/npm-protocol";
import type { WantedPackage } from "./wanted.ts";

type Integrity = WantedPackage["integrity"];

/** Whether a stored npm version has the integrity of the lock file. */
export function fitsStoredVersion(
  expected: Integrity,
  { shasum, integrity }: Pick<NpmVersion, "shasum" | "integrity">,
): boolean {
  if (expected === undefined) return true;
  const sha512 = Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex");
  return fitsIntegrity(expected, { sha1: shasum, sha512 });
}

/** Whether a stored NuGet package has the content hash of the lock file. The hash of a package that
 * came signed is unknown until a job has computed it. */
export function fitsContentHash(expected: Integrity, contentHash: string | undefined): boolean {
  if (expected === undefined || contentHash === undefined) return true;
  return expected.split(" ").every((hash) => hash === `sha512-${contentHash}`);
}

export const OTHER_INTEGRITY = "It has another integrity than in the lock file.";
export const OTHER_CONTENT_HASH = "It has another content hash than in the lock file.";
