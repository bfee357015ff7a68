import type { CertificateRecord } from "@sealhouse/repo-signing";
import type { RegistryResources } from "../ports.ts";
import { findCertificate } from "@sealhouse/repo-signing/feed";
import type { SigningTools } from "@sealhouse/repo-signing/feed";
import { CommandError } from "../command.ts";

/**
 * The signer of the settings. Key and certificate are checked when the operator provides them.
 * @throws {CommandError} while signing is off
 */
export async function openSigningTools({ signing }: RegistryResources): Promise<SigningTools> {
  await signing.open();
  const tools = await signing.tools();
  if (tools) return tools;
  throw new CommandError("Signing is off: set Signing__Mode, as the host that serves has it.");
}

/** The record that a fingerprint, or its first digits, names; with or without colons. */
export function namedCertificate(
  records: readonly CertificateRecord[],
  text: string,
): CertificateRecord {
  const certificate = findCertificate(records, text);
  if (certificate === "unknown") {
    throw new CommandError(`There is no certificate ${text}. List them: sealhouse signing list`);
  }
  if (certificate === "ambiguous") {
    throw new CommandError(`Several certificates begin with ${text}; add more digits.`);
  }
  return certificate;
}
