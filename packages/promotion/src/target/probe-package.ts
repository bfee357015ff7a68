import type { Finding, Publisher, TargetProbe } from "../publishers/publisher.ts";
import { memberLabel } from "../model/release.ts";
import type { ReleaseMember } from "../model/release.ts";
import type { PackageRight } from "./package-rights.ts";
import type { PublishTarget } from "../model/publish-target.ts";

/** Whether a target would take a version, as far as it answers without a publish. */
export type PackageProbe = TargetProbe & {
  /** For people: name and version. */
  readonly member: string;
};

/** Dependencies of the test of a package. */
export type PackageProbeParts = {
  readonly publisher: Pick<Publisher, "check">;
  readonly right: (member: ReleaseMember) => Promise<PackageRight>;
};

/** Asks a target about one version: its number, its content, its tags and the right to it. */
export async function probePackage(
  { protocol, credentials }: PublishTarget,
  member: ReleaseMember,
  { publisher, right }: PackageProbeParts,
  signal: AbortSignal,
): Promise<PackageProbe> {
  const finding = await publisher.check(member, signal);
  const label = memberLabel(member);
  if (!("before" in finding)) return { member: label, ...refusedBy(finding) };
  // A key that the target gave for this package is the right to it.
  const isExchanged = credentials?.type === "lent" && protocol === "npm";
  const found = isExchanged ? "granted" : await right(member);
  return { member: label, ...answerOf(finding, protocol === "oci" ? "granted" : found) };
}

function refusedBy(finding: Exclude<Finding, { readonly status: "absent" | "same" }>): TargetProbe {
  const status = finding.status === "conflict" ? "refused" : finding.status;
  return { status, words: `The target would refuse it: ${finding.reason}` };
}

function answerOf(
  { status, remark }: Extract<Finding, { readonly status: "absent" | "same" }>,
  right: PackageRight,
): TargetProbe {
  if (right === "denied") {
    return { status: "refused", words: "The credentials may not publish this package." };
  }
  const there =
    status === "same"
      ? "The target has it already, with the same content."
      : "The target does not have this version.";
  const words = [there, RIGHTS[right], ...(remark === undefined ? [] : [`Note: ${remark}.`])].join(
    " ",
  );
  return { status: right === "granted" ? "ready" : "unproven", words };
}

const RIGHTS: Readonly<Record<Exclude<PackageRight, "denied">, string>> = {
  granted: "The credentials may publish the package.",
  account: "The account may publish the package; the token is only proved by a publish.",
  unknown: "Whether the credentials may publish the package is only known after a publish.",
};
