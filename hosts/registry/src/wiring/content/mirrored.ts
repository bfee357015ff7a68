import { SYSTEM } from "@sealhouse/events";
import type { VerifyBundle } from "@sealhouse/npm-protocol";
import { createRuleList, mirroredNpm, mirroredNuGet } from "@sealhouse/upstream-sources";
import type {
  FastLane,
  Mirror,
  MirroredImages,
  MirroredNpm,
  MirroredNuGet,
  RuleList,
} from "@sealhouse/upstream-sources";
import type { Log } from "../../log.ts";
import type { Config } from "../../settings/config.ts";
import { openMirroredImages } from "./mirrored-images.ts";
import type { RegistryResources } from "../resources/registry-resources.ts";

/** Lookups with the packages of other registries. */
export type Mirrored = {
  readonly npm: MirroredNpm;
  readonly nuget: MirroredNuGet;
  readonly images: MirroredImages;
  /** Makes the next request read the rules of the database. */
  readonly refreshRules: () => void;
};

type MirroredParts = {
  readonly config: Config;
  readonly resources: RegistryResources;
  readonly mirror: Mirror;
  readonly verifyBundle: VerifyBundle;
  readonly log: Log;
  readonly now: () => Date;
};

export function openMirrored(parts: MirroredParts): Mirrored {
  const rules = createRuleList({ stored: parts.resources.database.upstream.rules, now: parts.now });
  return {
    npm: npmOf(parts, rules),
    nuget: nugetOf(parts, rules),
    images: openMirroredImages({ ...parts, rules }),
    refreshRules: () => rules.refresh(),
  };
}

function npmOf(parts: MirroredParts, rules: RuleList): MirroredNpm {
  const { config, resources, mirror, verifyBundle, now } = parts;
  const { database, blobs, npmSignatures } = resources;
  const { isEnabled, includesMirrored, ...upstreamSearch } = config.upstreamSearch;
  return mirroredNpm({
    mirror,
    lookup: database.npm.lookup,
    past: database.npm.past,
    search: database.npm.search,
    upstreamSearch: isEnabled ? upstreamSearch : undefined,
    includesMirrored,
    adopt: { files: blobs.npm, recorder: npmSignatures.recorder, verifyBundle },
    caller: SYSTEM,
    tarballBytesMax: config.feed.npm.maxTarballBytes ?? Number.MAX_SAFE_INTEGER,
    policy: {
      rules,
      firstSeen: database.upstream.firstSeen,
      advisories: database.npm.advisories,
      fastLane: fastLaneOf(parts),
    },
    now,
  });
}

function nugetOf(parts: MirroredParts, rules: RuleList): MirroredNuGet {
  const { config, resources, mirror, log, now } = parts;
  const { database, blobs, signing } = resources;
  const { advisories, certificates, lookup, recorder, search } = database.nuget;
  const { isEnabled, includesMirrored, ...upstreamSearch } = config.upstreamSearch;
  return mirroredNuGet({
    mirror,
    kept: database.upstream.documents,
    certificates,
    advisories,
    search,
    upstreamSearch: isEnabled ? upstreamSearch : undefined,
    includesMirrored,
    ports: { lookup, recorder, files: blobs.nuget, sealer: signing },
    past: database.nuget.past,
    caller: SYSTEM,
    localCache: config.localCache && {
      ...config.localCache,
      warn: (problem) => log.warn({ problem }, "a package of the local cache cannot be used"),
    },
    isAsReceived: config.signing.mode === "off",
    packageBytesMax: config.feed.nuget.maxPackageBytes,
    onRemark: (remark) => log.warn(remark, "a package source answers incompletely"),
    policy: {
      rules,
      firstSeen: database.upstream.firstSeen,
      advisories,
      fastLane: fastLaneOf(parts),
    },
    now,
  });
}

/** The audit log has each version that an advisory admitted. */
function fastLaneOf({ config, resources }: MirroredParts): FastLane {
  return {
    sources: config.mirror.fastLane,
    async note({ protocol, name, version, source, advisory }) {
      const subject = `${protocol}/${name}@${version}`;
      const detail = { source, advisory };
      const event = { type: "policy.admitted", subject, caller: SYSTEM, detail } as const;
      await resources.database.events.record([event]);
    },
  };
}
