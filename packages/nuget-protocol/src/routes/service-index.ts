import type { StoredDocument } from "@sealhouse/http-responses";
import { renderDocument, sendDocument } from "@sealhouse/http-responses";
import type { Hono } from "hono";
import type { NuGetPorts } from "../ports.ts";
import type { Offer } from "../service-index.ts";
import { serviceIndex } from "../service-index.ts";
import { JSON_TYPE, STORED_DOCUMENT_OPTIONS } from "./documents.ts";

export type ServiceIndexOptions = Pick<Offer, "takesPackages" | "reportAbuseUrl"> & {
  readonly signsPackages: boolean;
  readonly now: () => Date;
};

/** The part of the offer that changes while the feed runs. */
type Standing = Pick<Offer, "signs" | "tellsVulnerabilities">;

const REMEMBERED_BASES_MAX = 16;
/** Clients keep the index for half an hour themselves, so nobody misses these seconds. */
const RECHECK_MS = 15_000;

/** The service index: rendered once per public address and standing of the feed. */
export function mountServiceIndex(
  app: Hono,
  ports: NuGetPorts,
  { takesPackages, reportAbuseUrl, signsPackages, now }: ServiceIndexOptions,
): void {
  const standingNow = watchStanding(ports, { signsPackages, now });
  const indexes = new Map<string, { standing: Standing; document: StoredDocument }>();
  app.get("/v3/index.json", async (c) => {
    // Anybody may read it: it tells nothing, and a client that only has a push key asks without.
    const { base, cacheable } = ports.address(c.req.raw, c.env);
    const standing = await standingNow();
    const known = indexes.get(base);
    if (known && isSame(known.standing, standing)) {
      return sendDocument(c, known.document, STORED_DOCUMENT_OPTIONS);
    }
    const links = reportAbuseUrl === undefined ? {} : { reportAbuseUrl };
    const content = JSON.stringify(serviceIndex(base, { takesPackages, ...links, ...standing }));
    const document = await renderDocument(content, { contentType: JSON_TYPE });
    if (cacheable) {
      const [oldest] = indexes.keys();
      if (!known && indexes.size >= REMEMBERED_BASES_MAX && oldest !== undefined) {
        indexes.delete(oldest);
      }
      indexes.set(base, { standing, document });
    }
    return sendDocument(c, document, STORED_DOCUMENT_OPTIONS);
  });
}

/** Asks at most once per `RECHECK_MS`, and once for many requests that come together. */
function watchStanding(
  { advisories, certificates }: Pick<NuGetPorts, "advisories" | "certificates">,
  { signsPackages, now }: Pick<ServiceIndexOptions, "signsPackages" | "now">,
): () => Promise<Standing> {
  let known: { readonly standing: Standing; readonly at: number } | undefined;
  let asking: Promise<Standing> | undefined;
  const ask = async (): Promise<Standing> => {
    const at = now().getTime();
    const [state, isComplete] = await Promise.all([
      advisories.state(),
      signsPackages && certificates.allRepositorySigned(),
    ]);
    const signs = isComplete ? "all" : "some";
    const tellsVulnerabilities = state !== undefined;
    const standing: Standing = { signs: signsPackages ? signs : "none", tellsVulnerabilities };
    known = { standing, at };
    return standing;
  };
  return async () => {
    if (known && now().getTime() - known.at < RECHECK_MS) return known.standing;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

function isSame(one: Standing, other: Standing): boolean {
  return one.signs === other.signs && one.tellsVulnerabilities === other.tellsVulnerabilities;
}
