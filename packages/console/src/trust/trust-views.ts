import type { HiddenByProtocol, LatestPackage } from "../kit/page/model.ts";
import type { TrustPage, TrustedCertificate } from "./model.ts";

const LATEST = 10;

/** A certificate of current or past repository signatures. */
export type UsedCertificate = TrustedCertificate & {
  /** Whether clients still need to trust it. */
  readonly active: boolean;
  readonly lastUsedAt: Date;
};

export type TrustSources = {
  /** Undefined when package signing is disabled. */
  readonly certificates: { list(): Promise<readonly UsedCertificate[]> } | undefined;
  readonly signsImages: boolean;
  /** Whether anonymous callers may read; only then does the page name a package. */
  readonly anonymousRead: boolean;
  readonly latestPackages: (
    limit: number,
    hidden: HiddenByProtocol,
  ) => Promise<readonly LatestPackage[]>;
};

/** Returns active certificates, most recently used first; undefined when signing is disabled. */
export async function activeCertificates({
  certificates,
}: Pick<TrustSources, "certificates">): Promise<readonly UsedCertificate[] | undefined> {
  const active = (await certificates?.list())?.filter((certificate) => certificate.active);
  return active?.toSorted(
    (certificate, other) => other.lastUsedAt.getTime() - certificate.lastUsedAt.getTime(),
  );
}

/**
 * Returns the contents of the trust page. Needs no authorization, because certificates are public.
 * Undefined when the registry signs neither packages nor images.
 */
export async function trustPage(sources: TrustSources): Promise<TrustPage | undefined> {
  const certificates = await activeCertificates(sources);
  const { signsImages } = sources;
  if (!certificates && !signsImages) return undefined;
  const images = signsImages && { images: signsImages };
  return { certificates, ...images, example: await exampleOf(sources) };
}

async function exampleOf(sources: TrustSources): Promise<TrustPage["example"]> {
  if (!sources.anonymousRead) return undefined;
  // The page is the same for all callers.
  const latest = await sources.latestPackages(LATEST, {
    nuget: { isSignedIn: false, owners: [] },
  });
  const newest = latest.find(({ protocol }) => protocol === "nuget");
  return newest && { id: newest.name, version: newest.version };
}
