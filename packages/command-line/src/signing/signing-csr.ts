import type { Command } from "../command.ts";
import { withUserErrors, handOut, openSigningKey, subjectOf } from "./signing-key.ts";

export type CsrOptions = { readonly subject?: string; readonly out?: string };

/** Makes a request for a certificate, signed by the key of the signing mode. */
export async function requestCertificate(command: Command, options: CsrOptions): Promise<number> {
  return withUserErrors(async () => {
    const { createCertificateRequest, encodePem } = await import("@sealhouse/repo-signing");
    const { key, config } = await openSigningKey(command);
    await using _ = key;
    const request = await createCertificateRequest(key, subjectOf(options.subject, config));
    await handOut(command, encodePem("CERTIFICATE REQUEST", request), options.out);
    return 0;
  });
}
