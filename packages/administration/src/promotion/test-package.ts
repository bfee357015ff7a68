import { parseMember } from "@sealhouse/promotion";
import type { Loan, PackageProbe, Promotion, PublishTarget } from "@sealhouse/promotion";
import { conflict, invalidField } from "../refusal.ts";

/**
 * Asks a target whether it would take packages of this registry.
 *
 * @throws RefusedActionError
 */
export async function testPackage(
  promotion: Promotion,
  target: PublishTarget,
  { text, loans }: { readonly text: string; readonly loans: readonly Loan[] },
  signal: AbortSignal,
): Promise<readonly PackageProbe[]> {
  const member = parseMember(text, { type: "latest" });
  if (!member) throw invalidField("package", "must be a package, such as npm:@acme/bar.");
  if (member.protocol !== target.protocol) {
    throw invalidField("package", `must be of ${target.protocol}, as ${target.name} takes.`);
  }
  const probes = await promotion.probePackages(target, { member, loans }, signal);
  if (typeof probes === "string") throw conflict(probes);
  return probes;
}
