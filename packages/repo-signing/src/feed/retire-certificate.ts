import type { CertificateRecord } from "../ports.ts";
import type { SigningTools } from "./feed-options.ts";
import { currentCertificate } from "./rotate-certificate.ts";

/** `in-use`: the number of served versions with its signature; the certificate stays active. */
export type Retirement =
  | { readonly status: "retired" | "unchanged" | "absent" }
  | { readonly status: "in-use"; readonly versions: number };

export type RetireParts<Tools extends Pick<SigningTools, "signer">> = {
  /** Marks a certificate as retired, unless versions are served with its signature. */
  readonly retire: (fingerprint: string) => Promise<Retirement>;
  readonly openTools: () => Promise<Tools>;
  readonly now: () => Date;
};

/**
 * Retires a certificate: it never signs again and is no longer listed. `current`: it signs now, and
 * stays. A certificate can be retired while the key service does not answer or signing is off.
 */
export async function retireCertificate<Tools extends Pick<SigningTools, "signer">>(
  { retire, openTools, now }: RetireParts<Tools>,
  { active, fingerprint }: Pick<CertificateRecord, "active" | "fingerprint">,
  how: {
    /** Signs its versions again first. */
    readonly resign: ((tools: Tools) => Promise<void>) | undefined;
    /** It is unknown whether the certificate signs now; with `resign` that ends the call. */
    readonly onUnchecked: (error: Error) => void;
  },
): Promise<Retirement | { readonly status: "current" }> {
  if (!active) return retire(fingerprint);
  let opened: { readonly tools: Tools; readonly current: string } | undefined;
  try {
    const tools = await openTools();
    opened = { tools, current: (await currentCertificate(tools, now())).fingerprint };
  } catch (error) {
    if (how.resign || !(error instanceof Error)) throw error;
    how.onUnchecked(error);
  }
  if (opened?.current === fingerprint) return { status: "current" };
  if (opened) await how.resign?.(opened.tools);
  return retire(fingerprint);
}
