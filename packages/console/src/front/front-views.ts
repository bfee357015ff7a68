import { openReads } from "@sealhouse/identity";
import type { AccessRules, Reads } from "@sealhouse/identity";
import { lowerId } from "@sealhouse/nuget-protocol";
import type { HiddenNames, Protocol } from "@sealhouse/request-types";
import type { Site } from "../kit/page/model.ts";
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
  from: { readonly request: Request; readonly env: unknown },
): Promise<FrontPageModel["latest"]> {
  const readable = new Map<Protocol, Reads["mayRead"]>();
  const hidden: Partial<Record<Protocol, HiddenNames>> = {};
  for (const protocol of protocols) {
    const { verdict, mayRead } = await openReads(rules, protocol, from);
    if (verdict.status !== "granted") continue;
    readable.set(protocol, mayRead);
    if (verdict.hidden) hidden[protocol] = verdict.hidden;
  }
  if (readable.size === 0) return undefined;
  const newest = await latestPackages(LATEST_READ, hidden);
  return newest
    .filter(({ protocol, name }) =>
      readable.get(protocol)?.(protocol === "nuget" ? lowerId(name) : name),
    )
    .slice(0, LATEST);
}

async function signingState(sources: FrontSources): Promise<SigningState | undefined> {
  const certificates = await activeCertificates(sources);
  return certificates && { certificate: certificates[0] };
}
