import type { PackageVerdict } from "@sealhouse/request-types";
import type { Refusal } from "./model.ts";

/**
 * Returns undefined when the verdict grants access. A hidden name counts as refused; pages of a
 * name look for it before, because they must not differ from those of an unknown name.
 */
export function refusalIn(verdict: PackageVerdict): Refusal | undefined {
  if (verdict.status === "granted") return undefined;
  return verdict.status === "absent" ? { status: "denied", reason: "Unknown name." } : verdict;
}
