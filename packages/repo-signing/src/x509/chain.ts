import { sameBytes } from "../hash.ts";
import type { Certificate } from "./certificate.ts";
import { publicKeyOf } from "./certificate.ts";
import { allowsPurpose } from "./certificate-rules.ts";
import type { RootList } from "./root-list.ts";

/** Roots that are trusted, or `"any"` where trust is not the question: then a chain may also end
 * below a root that did not come along. */
export type TrustedRoots = RootList | "any";

export type ChainVerdict = {
  /** Signing certificate first. */
  readonly path: readonly Certificate[];
  readonly end: "trusted" | "untrusted-root" | "incomplete";
  /** Faults no trust can heal. */
  readonly faults: readonly string[];
};

const PATH_LENGTH_MAX = 10;
const CANDIDATES_MAX = 100;

/**
 * Finds the way from a certificate to a root. Validity periods are not looked at: a signature's
 * time is judged against the signing certificate alone, as the client does it.
 */
export function buildChain(
  leaf: Certificate,
  extra: readonly Certificate[],
  options: { readonly roots: TrustedRoots; readonly purpose: string },
): ChainVerdict {
  const rootsNamed = (name: Uint8Array) =>
    options.roots === "any" ? [] : options.roots.withSubject(name);
  const others = extra.slice(0, CANDIDATES_MAX);
  const path = [leaf];
  for (let last = leaf; !isSelfIssued(last) && path.length < PATH_LENGTH_MAX;) {
    const candidates = [...rootsNamed(last.issuerDer), ...others];
    const next = candidates.find(
      (candidate) => !path.includes(candidate) && issued(candidate, last),
    );
    if (!next) break;
    path.push(next);
    last = next;
  }
  const last = path[path.length - 1] ?? leaf;
  const isRooted = isSelfIssued(last);
  const isTrusted = rootsNamed(last.subjectDer).some(
    ({ fingerprint }) => fingerprint === last.fingerprint,
  );
  return {
    path,
    end: endOf(options.roots, { isRooted, isTrusted }),
    faults: faultsOf(path, options.purpose),
  };
}

/** A package need not contain roots: a client that trusts them has them. */
function endOf(
  roots: TrustedRoots,
  { isRooted, isTrusted }: { readonly isRooted: boolean; readonly isTrusted: boolean },
): ChainVerdict["end"] {
  if (roots === "any") return "trusted";
  if (!isRooted) return "incomplete";
  return isTrusted ? "trusted" : "untrusted-root";
}

function faultsOf(path: readonly Certificate[], purpose: string): string[] {
  const faults: string[] = [];
  if (!path.every((link) => allowsPurpose(link, purpose))) {
    faults.push("a certificate of the chain is not meant for this purpose");
  }
  if (path.slice(1).some((link) => link.isAuthority !== true)) {
    faults.push("an issuer in the chain is not a certificate authority");
  }
  for (const [index, certificate] of path.entries()) {
    const issuer = path[index + 1] ?? certificate;
    if ((issuer !== certificate || isSelfIssued(certificate)) && !isSignedBy(certificate, issuer)) {
      faults.push("a certificate of the chain has a wrong signature");
    }
  }
  return faults;
}

/** By certificate, then issuer: checks are slow, and parsed certificates never change. */
const checked = new WeakMap<Certificate, WeakMap<Certificate, boolean>>();

function isSignedBy(certificate: Certificate, issuer: Certificate): boolean {
  const byIssuer = checked.get(certificate) ?? new WeakMap<Certificate, boolean>();
  checked.set(certificate, byIssuer);
  const isKnownSigned = byIssuer.get(issuer);
  if (isKnownSigned !== undefined) return isKnownSigned;
  const key = publicKeyOf(issuer);
  const isSigned = key !== undefined && certificate.x509.verify(key);
  byIssuer.set(issuer, isSigned);
  return isSigned;
}

function isSelfIssued(certificate: Certificate): boolean {
  return sameBytes(certificate.subjectDer, certificate.issuerDer);
}

function issued(issuer: Certificate, certificate: Certificate): boolean {
  return (
    sameBytes(issuer.subjectDer, certificate.issuerDer) && certificate.x509.checkIssued(issuer.x509)
  );
}
