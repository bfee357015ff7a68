import type { TrustPage } from "@sealhouse/console";
import type { Database } from "@sealhouse/database";
import type { CertificateRecord } from "@sealhouse/repo-signing";
import type { Config } from "../settings/config.ts";

const LATEST = 10;

type TrustParts = {
  readonly config: Pick<Config, "signing" | "feed" | "ociSeal">;
  readonly database: Pick<Database, "certificates" | "latestPackages">;
};

/** The certificates that vouch for this feed, last used first. Undefined = signing is off. */
export async function activeCertificates({
  config,
  database,
}: TrustParts): Promise<readonly CertificateRecord[] | undefined> {
  if (config.signing.mode === "off") return undefined;
  const active = (await database.certificates.list()).filter((certificate) => certificate.active);
  return active.toSorted((one, other) => other.lastUsedAt.getTime() - one.lastUsedAt.getTime());
}

/** What the page about trust shows. It is for everybody, as the certificates are. */
export async function trustPage(parts: TrustParts): Promise<TrustPage | undefined> {
  const certificates = await activeCertificates(parts);
  const images = parts.config.ociSeal !== undefined && parts.config.feed.oci.enabled;
  if (!certificates && !images) return undefined;
  return { certificates, ...(images && { images }), example: await exampleOf(parts) };
}

/** Names are shown to everybody only where everybody may read them. */
async function exampleOf({ config, database }: TrustParts): Promise<TrustPage["example"]> {
  if (!config.feed.anonymousPull) return undefined;
  const latest = await database.latestPackages(LATEST);
  const newest = latest.find(({ protocol }) => protocol === "nuget");
  return newest && { id: newest.name, version: newest.version };
}
