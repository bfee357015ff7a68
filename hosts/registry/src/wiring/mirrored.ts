import { SYSTEM } from "@sealhouse/events";
import type { VerifyBundle } from "@sealhouse/npm-protocol";
import { createRuleList, mirroredNpm, mirroredNuGet } from "@sealhouse/upstream-sources";
import type {
  Mirror,
  MirroredImages,
  MirroredNpm,
  MirroredNuGet,
  RuleList,
} from "@sealhouse/upstream-sources";
import type { Config } from "../settings/config.ts";
import { openMirroredImages } from "./mirrored-images.ts";
import type { RegistryResources } from "./registry-resources.ts";

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
  return mirroredNpm({
    mirror,
    lookup: database.npm.lookup,
    past: database.npm.past,
    adopt: { files: blobs.npm, recorder: npmSignatures.recorder, verifyBundle },
    caller: SYSTEM,
    tarballBytesMax: config.feed.npm.maxTarballBytes ?? Number.MAX_SAFE_INTEGER,
    policy: { rules, firstSeen: database.upstream.firstSeen, advisories: database.npm.advisories },
    now,
  });
}

function nugetOf(parts: MirroredParts, rules: RuleList): MirroredNuGet {
  const { config, resources, mirror, now } = parts;
  const { database, blobs, signing } = resources;
  const { certificates, lookup, recorder, search } = database.nuget;
  const { isEnabled, includesMirrored, ...upstreamSearch } = config.upstreamSearch;
  return mirroredNuGet({
    mirror,
    certificates,
    search,
    upstreamSearch: isEnabled ? upstreamSearch : undefined,
    includesMirrored,
    ports: { lookup, recorder, files: blobs.nuget, sealer: signing },
    past: database.nuget.past,
    caller: SYSTEM,
    isAsReceived: config.signing.mode === "off",
    packageBytesMax: config.feed.nuget.maxPackageBytes,
    policy: {
      rules,
      firstSeen: database.upstream.firstSeen,
      advisories: database.nuget.advisories,
    },
    now,
  });
}
