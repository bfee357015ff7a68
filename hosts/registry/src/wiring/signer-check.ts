import type * as repoSigning from "@sealhouse/repo-signing";
import type { Signer } from "@sealhouse/repo-signing";
import type { SigningOn, SigningParts } from "./signing.ts";

const WARN_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The host cannot sign as it is configured, and does not start. */
export class SigningSetupError extends Error {
  override readonly name = "SigningSetupError";
}

/** Opens the signer and looks at its certificate as every client will. */
export async function checkSigner(
  { log, now }: SigningParts,
  signing: SigningOn,
  open: () => Promise<Signer>,
): Promise<void> {
  const library = await import("@sealhouse/repo-signing");
  try {
    const signer = await open();
    const { subject, notAfter, fingerprint } = library.usableCertificate(signer, now());
    log.info({ subject, fingerprint, notAfter }, "packages are signed with this certificate");
    const days = Math.floor((notAfter.getTime() - now().getTime()) / DAY_MS);
    if (days < WARN_DAYS) {
      log.warn(
        { subject, notAfter },
        `the signing certificate ends in ${days} days; install a new one before that`,
      );
    }
  } catch (error) {
    const { key, message } = explained(error, library, signing);
    throw new SigningSetupError(`The host cannot sign packages: ${key}: ${message}`, {
      cause: error,
    });
  }
}

function explained(
  error: unknown,
  { ModeSettingError }: Pick<typeof repoSigning, "ModeSettingError">,
  { mode, ...signing }: SigningOn,
): { readonly key: string; readonly message: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ModeSettingError) return { key: error.key, message };
  return { key: `Signing__${"name" in signing ? signing.name : mode}`, message };
}
