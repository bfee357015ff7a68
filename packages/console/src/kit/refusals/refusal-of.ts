import type { PackageVerdict } from "@sealhouse/request-types";
import type { Refusal } from "../page/model.ts";

/**
 * Returns undefined when the verdict grants access. A hidden name counts as refused; pages of a
 * name look for it before, because they must not differ from those of an unknown name.
 */
export function refusalIn(verdict: PackageVerdict): Refusal | undefined {
  if (verdict.status === "granted") return undefined;
  return verdict.status === "absent" ? { status: "denied", reason: "Unknown name." } : verdict;
}

export function isRefusal(answer: { readonly status: string }): answer is Refusal {
  return ["anonymous", "denied", "limited"].includes(answer.status);
}
