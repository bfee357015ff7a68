import { openFeedPromotion } from "@sealhouse/feed";
import { createOutgoingFetch } from "@sealhouse/http-server";
import { releasesJob, syndicationConsumer, watchReleases } from "@sealhouse/promotion";
import type { Promotion } from "@sealhouse/promotion";
import type { Config } from "../../settings/config.ts";
import type { FeatureModule } from "../feature.ts";
import type { RegistryResources } from "../resources/registry-resources.ts";

/** Publishing to other registries, and a watch of releases. */
export const promotion: FeatureModule = {
  open(core) {
    const { now } = core;
    const { database } = core.resources;
    const rows = database.promotion;
    const watch = watchReleases({ ...database, ...rows, now });
    const open = () => createPromotion(core);
    return {
      jobs: [releasesJob({ ...rows, open, now }), watch.job],
      consumers: [syndicationConsumer({ ...rows, open })],
      problems: watch.problems,
    };
  },
};

/** Opens the publishing to other registries. It needs no closing. */
export function createPromotion({
  config,
  resources,
  now,
}: {
  readonly config: Config;
  readonly resources: RegistryResources;
  readonly now: () => Date;
}): Promise<Promotion> {
  const { outgoingProxy: proxy, serverName } = config.host;
  const urls = config.feed.publicBaseUrls;
  return openFeedPromotion(resources, {
    serverName,
    feed: urls.find((url) => url.startsWith("https://")) ?? urls[0],
    openFetch: (wanted) => createOutgoingFetch({ ...wanted, proxy }),
    now,
  });
}
