import { imageFiles, sealKeysOf, signedPackages, storedPackages } from "@sealhouse/feed";
import { allEnded, createLimit } from "@sealhouse/http-responses/outgoing";
import { createOutgoingFetch } from "@sealhouse/http-server";
import { coversName } from "@sealhouse/identity";
import type { Consumer } from "@sealhouse/events";
import type { Job } from "@sealhouse/jobs";
import { watchReleases } from "@sealhouse/promotion";
import type { MemberPorts, Promotion } from "@sealhouse/promotion";
import type { Config } from "../../settings/config.ts";
import type { FeatureModule } from "../feature.ts";
import type { RegistryResources } from "../resources/registry-resources.ts";

/** Publishing to other registries, and a watch of releases. */
export const promotion: FeatureModule = {
  open(core) {
    const { database } = core.resources;
    const watch = watchReleases({ ...database, ...database.promotion, now: core.now });
    return {
      jobs: [releasesJob(core), watch.job],
      consumers: [syndicationConsumer(core)],
      problems: watch.problems,
    };
  },
};

type PromotionOptions = {
  readonly config: Config;
  readonly resources: RegistryResources;
  readonly now: () => Date;
};

/** Opens the publishing to other registries. It needs no closing. */
export async function createPromotion(options: PromotionOptions): Promise<Promotion> {
  const { config, resources, now } = options;
  const { database, keyRing } = resources;
  const urls = config.feed.publicBaseUrls;
  const { openPromotion } = await import("@sealhouse/promotion");
  return openPromotion({
    rows: database.promotion,
    members: memberPorts(resources),
    isOwn: async (protocol, name) => {
      const key = protocol === "nuget" ? name.toLowerCase() : name;
      return (await database.upstream.origins.find(protocol, key))?.origin !== "mirrored";
    },
    keyRing,
    leases: database.leases,
    statementKey: async () => {
      const keys = await sealKeysOf(resources, { serverName: config.host.serverName, now });
      return keys.cosign();
    },
    openFetch: (wanted) => createOutgoingFetch({ ...wanted, proxy: config.host.outgoingProxy }),
    feed: urls.find((url) => url.startsWith("https://")) ?? urls[0],
    now,
  });
}

const NAMES_AT_ONCE = 500;

/** Releases take packages that were published here, not those of sources. */
function memberPorts({ database, blobs, signing }: RegistryResources): MemberPorts {
  const { nuget, npm, oci, upstream } = database;
  const { held } = database.promotion;
  return {
    async names(protocol, pattern, limit) {
      const names: string[] = [];
      for (let after = ""; ;) {
        const page = await upstream.origins.ownNames(protocol, { after, limit: NAMES_AT_ONCE });
        names.push(...page.filter((name) => coversName(pattern, protocol, name)));
        after = page.at(-1) ?? "";
        if (page.length < NAMES_AT_ONCE || names.length >= limit) return names.slice(0, limit);
      }
    },
    nuget: {
      lookup: nuget.lookup,
      provenance: nuget.provenance,
      files: blobs.nuget,
      content: signedPackages(storedPackages(blobs.nuget), signing),
      symbols: nuget.symbols,
      held,
    },
    npm: {
      lookup: npm.lookup,
      attestations: npm.attestations,
      content: {
        open: ({ key, size }) => ({ size, read: (range) => blobs.npm.read(key, range) }),
      },
      held,
    },
    oci: { blobs: oci.blobs, manifests: oci.manifests, files: imageFiles(blobs.oci) },
  };
}

/** Opens releases for uploads that a syndication takes; `releasesJob` runs them. */
function syndicationConsumer(options: PromotionOptions): Consumer & Disposable {
  const { syndications } = options.resources.database.promotion;
  return {
    name: "syndication",
    types: ["package.published", "package.tagged"],
    // Uploads of a package follow each other at a target.
    orderOf: ({ subject }) => subject.replace(/(?<=.)[@:][^/]*$/, ""),
    async handle(events) {
      // Without syndications, no module of promotion is loaded.
      if ((await syndications.list()).length === 0) return;
      await (await createPromotion(options)).syndicate(events);
    },
    // A batch is short, and the delivery waits for it.
    [Symbol.dispose]: () => undefined,
  };
}

const RELEASES_EVERY_MS = 5_000;
const RELEASES_AT_ONCE = 4;

/** Continues releases that wait, or whose process was killed. */
function releasesJob(options: PromotionOptions): Job {
  const { resources, now } = options;
  const { releases } = resources.database.promotion;
  return {
    name: "releases to other registries",
    firstAfterMs: RELEASES_EVERY_MS,
    everyMs: RELEASES_EVERY_MS,
    async run(signal) {
      const due = await releases.due(now());
      if (due.length === 0) return;
      const opened = await createPromotion(options);
      const limit = createLimit(RELEASES_AT_ONCE);
      // A slow or failing release keeps no other from its targets.
      const runs = due.map((id) =>
        limit(async () => {
          signal.throwIfAborted();
          await opened.run(id, signal);
        }),
      );
      await allEnded(runs);
    },
  };
}
