import { createPackageAuthorize } from "@sealhouse/identity";
import type { AccessRules } from "@sealhouse/identity";
import { lowerId } from "@sealhouse/nuget-protocol";
import type { Protocol } from "@sealhouse/request-types";
import type { Site } from "../kit/model.ts";
import { activeCertificates } from "../trust/trust-views.ts";
import type { TrustSources } from "../trust/trust-views.ts";
import type { FrontPageModel, LatestPackage, SigningState } from "./model.ts";

const LATEST = 10;
/**
 * Rows read for one page. More than `LATEST`, because the caller may not be allowed to read all.
 */
const LATEST_READ = 100;

export type FrontSources = Pick<TrustSources, "certificates" | "latestPackages"> & {
  readonly site: (request: Request, env: unknown) => Site;
  readonly rules: AccessRules;
};

/** Returns the contents of the front page for a caller. */
export async function frontPage(
  sources: FrontSources,
  request: Request,
  env: unknown,
): Promise<FrontPageModel> {
  const site = sources.site(request, env);
  return {
    ...site,
    latest: await latestFor(sources, site.protocols, { request, env }),
    signing: await signingState(sources),
  };
}

/**
 * Returns the newest packages that the caller may read; undefined when the caller may read none.
 */
async function latestFor(
  { rules, latestPackages }: FrontSources,
  protocols: readonly Protocol[],
  { request, env }: { readonly request: Request; readonly env: unknown },
): Promise<FrontPageModel["latest"]> {
  const isReadable = async (protocol: Protocol, name?: string) => {
    const target = name === undefined ? {} : { name: protocol === "nuget" ? lowerId(name) : name };
    const authorize = createPackageAuthorize(rules, protocol);
    return (await authorize(request, env, { action: "read", ...target })).status === "granted";
  };
  const readable = new Set<Protocol>();
  for (const protocol of protocols) if (await isReadable(protocol)) readable.add(protocol);
  if (readable.size === 0) return undefined;
  const latest: LatestPackage[] = [];
  for (const latestPackage of await latestPackages(LATEST_READ)) {
    if (latest.length === LATEST) break;
    if (
      readable.has(latestPackage.protocol) &&
      (await isReadable(latestPackage.protocol, latestPackage.name))
    )
      latest.push(latestPackage);
  }
  return latest;
}

async function signingState(sources: FrontSources): Promise<SigningState | undefined> {
  const certificates = await activeCertificates(sources);
  return certificates && { certificate: certificates[0] };
}
