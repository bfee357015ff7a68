import { randomBytes } from "node:crypto";
import type { Command } from "../command.ts";
import { CommandError } from "../command.ts";
import { withUserErrors, handOut, openSigningKey, subjectOf } from "./signing-key.ts";

export type SelfIssueOptions = {
  readonly subject?: string;
  readonly days: string;
  readonly out?: string;
};

/** Makes a self-signed certificate for the key of the signing mode. */
export async function selfIssueCertificate(
  command: Command,
  { subject, days, out }: SelfIssueOptions,
): Promise<number> {
  if (!/^\d{1,6}$/.test(days)) {
    throw new CommandError(`--days ${days} is not a whole number of days`);
  }
  return withUserErrors(async () => {
    const { selfIssue, encodePem } = await import("@sealhouse/repo-signing");
    const { key, config } = await openSigningKey(command);
    await using _ = key;
    const certificate = await selfIssue(key, {
      subject: subjectOf(subject, config),
      validityInDays: Number(days),
      now: new Date(),
      randomBytes,
    });
    await handOut(command, encodePem("CERTIFICATE", certificate), out);
    return 0;
  });
}
