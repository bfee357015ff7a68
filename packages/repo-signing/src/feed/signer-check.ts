import type * as repoSigning from "../index.ts";
import type { Certificate, Signer } from "../index.ts";
import type { SigningOn, FeedSigningOptions } from "./feed-options.ts";

const WARN_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The signing settings are invalid; the host does not start. */
export class SigningSetupError extends Error {
  override readonly name = "SigningSetupError";
  readonly code = "signing-setup-invalid";
}

/**
 * Logs the certificate that signs when it changes, and once a day a warning before it expires.
 */
export function createCertificateLog({
  log,
  now,
}: Pick<FeedSigningOptions, "log" | "now">): (certificate: Certificate) => void {
  let lastReport: { readonly fingerprint: string; readonly at: number } | undefined;
  return ({ subject, fingerprint, notAfter }) => {
    const timeMs = now().getTime();
    const isNew = fingerprint !== lastReport?.fingerprint;
    if (lastReport && !isNew && timeMs - lastReport.at < DAY_MS) return;
    lastReport = { fingerprint, at: timeMs };
    if (isNew) {
      log.info({ subject, fingerprint, notAfter }, "packages are signed with this certificate");
    }
    const days = Math.floor((notAfter.getTime() - timeMs) / DAY_MS);
    if (days >= WARN_DAYS) return;
    log.warn(
      { subject, notAfter },
      `the signing certificate expires in ${days} days; install a new one`,
    );
  };
}

/** Opens the signer and checks its certificate as clients do. */
export async function checkSigner(
  { now }: Pick<FeedSigningOptions, "now">,
  signing: SigningOn,
  open: () => Promise<Signer>,
): Promise<void> {
  const library = await import("../index.ts");
  try {
    library.usableCertificate(await open(), now());
  } catch (error) {
    const { key, message } = explained(error, library, signing);
    const details = error instanceof library.SigningError ? error.details : undefined;
    const words = [message, ...(details === undefined ? [] : [details])].join(" ");
    throw new SigningSetupError(`The host cannot sign packages: ${key}: ${words}`, {
      cause: error,
    });
  }
}

/** Checks the subject name of the self-signed certificate. */
export async function checkOwnSubject({
  subject: { complete },
  validityInDays,
}: Extract<SigningOn, { readonly mode: "SelfSigned" }>): Promise<void> {
  if (complete === undefined) return;
  const { checkSelfSigned } = await import("../index.ts");
  try {
    checkSelfSigned({ subject: { subjectName: complete }, validityInDays });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const key = "Signing__SelfSigned__SubjectName";
    throw new SigningSetupError(`The host cannot sign packages: ${key}: ${cause.message}`, {
      cause,
    });
  }
}

function explained(
  error: unknown,
  { ModeSettingError, SigningError }: Pick<typeof repoSigning, "ModeSettingError" | "SigningError">,
  { mode, ...signing }: SigningOn,
): { readonly key: string; readonly message: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ModeSettingError) return { key: error.key, message };
  if (error instanceof SigningError && error.setting !== undefined) {
    return { key: error.setting, message };
  }
  return { key: `Signing__${"name" in signing ? signing.name : mode}`, message };
}
