import { createPackageAuthorize } from "@sealhouse/identity";
import type { AccessRules } from "@sealhouse/identity";
import { lowerId } from "@sealhouse/nuget-protocol";
import type { HiddenNames, Protocol } from "@sealhouse/request-types";
import type { LatestPackage, Site } from "../kit/page/model.ts";
import { activeCertificates } from "../trust/trust-views.ts";
import type { TrustSources } from "../trust/trust-views.ts";
import type { FrontPageModel, SigningState } from "./model.ts";

const LATEST = 10;
/**
 * Rows read for one page. More than `LATEST`, because the token may not cover all names.
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
  const reading = (protocol: Protocol, name?: string) => {
    const target = name === undefined ? {} : { name: protocol === "nuget" ? lowerId(name) : name };
    return createPackageAuthorize(rules, protocol)(request, env, { action: "read", ...target });
  };
  const readable = new Map<Protocol, HiddenNames | undefined>();
  for (const protocol of protocols) {
    const verdict = await reading(protocol);
    if (verdict.status === "granted") readable.set(protocol, verdict.hidden);
  }
  if (readable.size === 0) return undefined;
  const hidden = Object.fromEntries([...readable].filter(([, names]) => names !== undefined));
  const latest: LatestPackage[] = [];
  for (const latestPackage of await latestPackages(LATEST_READ, hidden)) {
    if (latest.length === LATEST) break;
    const { protocol, name } = latestPackage;
    const isShown = readable.has(protocol) && (await reading(protocol, name)).status === "granted";
    if (isShown) latest.push(latestPackage);
  }
  return latest;
}

async function signingState(sources: FrontSources): Promise<SigningState | undefined> {
  const certificates = await activeCertificates(sources);
  return certificates && { certificate: certificates[0] };
}
