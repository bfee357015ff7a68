import { SigningError } from "../errors.ts";
import type { KeyCertificate } from "./key-certificate.ts";
import type { Signer } from "../ports.ts";
import type { RemoteKeyOptions } from "../keys/remote-key.ts";
import { createRemoteSigner } from "./remote-signer.ts";
import type { ModeContext } from "./signing-mode.ts";
import { ModeSettingError } from "./signing-mode.ts";

/** Nothing that a signature of a package could be taken for: those are DER. */
const TRIAL = Buffer.from("Sealhouse tries its signing key. This is not a package.");

/** A mode is opened again every hour, with the same values: once is enough. */
const warned = new WeakSet<ModeContext["values"]>();

/**
 * Brings a key and the certificate from the settings together, for a mode's `open`: they must be of
 * one pair, and the key must sign.
 *
 * @throws ModeSettingError when the certificate belongs to another key
 * @throws SigningError when the key does not sign
 */
export async function signerOfKey(
  key: RemoteKeyOptions,
  { chain, setting }: KeyCertificate,
  {
    context,
    insteadOfPss = "PKCS#1 v1.5 works everywhere.",
    otherKey = "",
  }: {
    readonly context: Pick<ModeContext, "values" | "warn">;
    /** A sentence: how to get PKCS#1 v1.5 signatures, in the words of the key service. */
    readonly insteadOfPss?: string;
    /** A sentence: what else to do when the certificate belongs to another key. */
    readonly otherKey?: string;
  },
): Promise<Signer> {
  const signer = pairOf(key, { chain, setting }, otherKey);
  await trySigner(signer);
  if (key.scheme === "pss" && !warned.has(context.values)) {
    warned.add(context.values);
    context.warn(
      `The ${key.keyName} makes RSASSA-PSS signatures, which some NuGet clients may refuse. ` +
        insteadOfPss,
    );
  }
  return signer;
}

/**
 * Signs once as a trial: the right to read a public key does not include the right to sign.
 *
 * @throws SigningError when the signer fails
 */
export async function trySigner(signer: Pick<Signer, "sign">): Promise<void> {
  await signer.sign(TRIAL);
}

function pairOf(
  key: RemoteKeyOptions,
  { chain, setting }: KeyCertificate,
  otherKey: string,
): Signer {
  try {
    return createRemoteSigner({ ...key, chain });
  } catch (cause) {
    if (!(cause instanceof SigningError)) throw cause;
    throw new ModeSettingError(setting, `${cause.message} ${otherKey}`.trimEnd(), { cause });
  }
}
