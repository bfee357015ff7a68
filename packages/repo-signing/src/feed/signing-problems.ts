import type { FeedSigningOptions, SigningOn } from "./feed-options.ts";
import { checkSigner, SigningSetupError } from "./signer-check.ts";
import { openOnce, successorSource } from "./signers.ts";

type Provided = Exclude<SigningOn, { readonly mode: "SelfSigned" }>;
type Parts = Pick<FeedSigningOptions, "extensions" | "files" | "log" | "now"> & {
  /** Knows the retired certificates. Default: none is retired. */
  readonly ledger?: Pick<FeedSigningOptions["ledger"], "find"> | undefined;
};

const NONE_RETIRED: NonNullable<Parts["ledger"]> = { find: async () => undefined };

/** Time that a key service has to answer. */
const WITHIN_MS = 15_000;

/**
 * Opens key and certificate of an operator as a host does when it starts. Resolves to problems that
 * prevent signing now and do not stop the host.
 * @throws SigningSetupError for a problem that stops it
 */
export async function signingProblems(parts: Parts, signing: Provided): Promise<readonly string[]> {
  const { isMisconfigured } = await import("../index.ts");
  const problems: string[] = [];
  const current = await problemOf(parts, signing);
  if (current && isMisconfigured(current.cause)) throw current;
  if (current) problems.push(`${current.message} The host starts; pushes are refused.`);
  const successor = successorSource(signing);
  const next = successor && (await problemOf(parts, successor));
  if (next) problems.push(`${next.message} The host starts without the next certificate.`);
  return problems;
}

async function problemOf(parts: Parts, signing: Provided): Promise<Error | undefined> {
  const library = await import("../index.ts");
  const late = AbortSignal.timeout(WITHIN_MS);
  const { ledger = NONE_RETIRED, now } = parts;
  const openAllowed = library.refuseRetired(() => openOnce(parts, signing, library), {
    ledger,
    now,
  });
  const open = async () => {
    try {
      return await library.untilAborted(late, openAllowed);
    } catch (error) {
      if (error !== late.reason) throw error;
      const message = `There was no answer within ${WITHIN_MS / 1000} seconds.`;
      throw new library.SigningError("signer", message, { retryable: true, cause: error });
    }
  };
  try {
    await checkSigner(parts, signing, open);
    return undefined;
  } catch (error) {
    if (!(error instanceof SigningSetupError)) throw error;
    return error;
  }
}
