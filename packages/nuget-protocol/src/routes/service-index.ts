import { BoundedCache } from "@sealhouse/bounded-cache";
import type { StoredDocument } from "@sealhouse/http-responses";
import { renderDocument, sendDocument } from "@sealhouse/http-responses";
import type { Hono } from "hono";
import type { NuGetPorts } from "../ports.ts";
import type { ServiceIndexFeatures } from "../service-index.ts";
import { serviceIndex } from "../service-index.ts";
import { JSON_TYPE, STORED_DOCUMENT_OPTIONS } from "./documents.ts";

/** Facts about the feed that its service index lists. */
export type ServiceIndexOptions = Pick<
  ServiceIndexFeatures,
  "acceptsPackages" | "reportAbuseUrl" | "isView"
> & {
  readonly signsPackages: boolean;
  readonly now: () => Date;
};

/** The part of the offer that changes while the feed runs. */
type FeedState = Pick<ServiceIndexFeatures, "signs" | "hasVulnerabilities">;

const REMEMBERED_BASES_MAX = 16;
/** Clients keep the index for half an hour themselves, so these seconds make no difference. */
const RECHECK_MS = 15_000;

/** Reads the service index for a public address; `cacheable`: whether it comes again. */
export type ReadServiceIndex = (address: {
  readonly base: string;
  readonly cacheable: boolean;
}) => Promise<StoredDocument>;

/** Answers with the service index. Public: it reveals nothing, and clients with only a push key
 * request it without credentials. */
export function mountServiceIndex(
  app: Hono,
  { address }: Pick<NuGetPorts, "address">,
  read: ReadServiceIndex,
): void {
  app.get("/v3/index.json", async (c) =>
    sendDocument(c, await read(address(c.req.raw, c.env)), STORED_DOCUMENT_OPTIONS),
  );
}

/** Renders the service index once per public address and state of the feed. */
export function createServiceIndex(
  ports: Pick<NuGetPorts, "advisories" | "certificates">,
  { signsPackages, now, ...features }: ServiceIndexOptions,
): ReadServiceIndex {
  const standingNow = watchFeedState(ports, { signsPackages, now });
  const indexes = new BoundedCache<string, { state: FeedState; document: StoredDocument }>({
    entries: REMEMBERED_BASES_MAX,
  });
  return async ({ base, cacheable }) => {
    const state = await standingNow();
    const entry = indexes.get(base);
    if (entry && isSame(entry.state, state)) return entry.document;
    const content = JSON.stringify(serviceIndex(base, { ...features, ...state }));
    const document = await renderDocument(content, { contentType: JSON_TYPE });
    if (cacheable) indexes.set(base, { state, document });
    return document;
  };
}

/** Asks at most once per `RECHECK_MS`, and once for many requests that come together. */
function watchFeedState(
  { advisories, certificates }: Pick<NuGetPorts, "advisories" | "certificates">,
  { signsPackages, now }: Pick<ServiceIndexOptions, "signsPackages" | "now">,
): () => Promise<FeedState> {
  let snapshot: { readonly state: FeedState; readonly at: number } | undefined;
  let asking: Promise<FeedState> | undefined;
  const ask = async (): Promise<FeedState> => {
    const timeMs = now().getTime();
    const [advisoryState, isComplete] = await Promise.all([
      advisories.state(),
      signsPackages && certificates.allRepositorySigned(),
    ]);
    const signs = isComplete ? "all" : "some";
    const hasVulnerabilities = advisoryState !== undefined;
    const state: FeedState = { signs: signsPackages ? signs : "none", hasVulnerabilities };
    snapshot = { state, at: timeMs };
    return state;
  };
  return async () => {
    if (snapshot && now().getTime() - snapshot.at < RECHECK_MS) return snapshot.state;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

function isSame(feedState: FeedState, other: FeedState): boolean {
  return (
    feedState.signs === other.signs && feedState.hasVulnerabilities === other.hasVulnerabilities
  );
}
