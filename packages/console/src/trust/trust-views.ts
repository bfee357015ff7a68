import type { LatestPackage } from "../front/model.ts";
import type { TrustPage, TrustedCertificate } from "./model.ts";

const LATEST = 10;

/** A certificate that signs or has signed packages of this feed. */
export type UsedCertificate = TrustedCertificate & {
  /** Whether clients still need to trust it. */
  readonly active: boolean;
  readonly lastUsedAt: Date;
};

export type TrustSources = {
  /** Undefined = packages are not signed. */
  readonly certificates: { list(): Promise<readonly UsedCertificate[]> } | undefined;
  readonly signsImages: boolean;
  /** Whether anonymous callers may read; only then does the page name a package. */
  readonly anonymousRead: boolean;
  readonly latestPackages: (limit: number) => Promise<readonly LatestPackage[]>;
};

/** The active certificates, most recently used first; undefined = packages are not signed. */
export async function activeCertificates({
  certificates,
}: Pick<TrustSources, "certificates">): Promise<readonly UsedCertificate[] | undefined> {
  const active = (await certificates?.list())?.filter((certificate) => certificate.active);
  return active?.toSorted((one, other) => other.lastUsedAt.getTime() - one.lastUsedAt.getTime());
}

/** The page about trust. Public, as the certificates are; undefined = nothing is signed. */
export async function trustPage(sources: TrustSources): Promise<TrustPage | undefined> {
  const certificates = await activeCertificates(sources);
  const { signsImages } = sources;
  if (!certificates && !signsImages) return undefined;
  const images = signsImages && { images: signsImages };
  return { certificates, ...images, example: await exampleOf(sources) };
}

async function exampleOf(sources: TrustSources): Promise<TrustPage["example"]> {
  if (!sources.anonymousRead) return undefined;
  const latest = await sources.latestPackages(LATEST);
  const newest = latest.find(({ protocol }) => protocol === "nuget");
  return newest && { id: newest.name, version: newest.version };
}
