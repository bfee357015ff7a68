import type { Database } from "@sealhouse/database";
import type { KeyRing } from "@sealhouse/identity";
import { createFeedSigning } from "@sealhouse/repo-signing/feed";
import type { FeedSigning } from "@sealhouse/repo-signing/feed";
import { createSharedFiles } from "@sealhouse/storage-providers";
import type { ObjectStore } from "@sealhouse/storage-providers";
import type { Extension } from "../../extension.ts";
import type { Log } from "../../log.ts";
import type { Config } from "../../settings/config.ts";
import { openOutgoingFetch, secureBaseUrl } from "@sealhouse/http-server";
import { mirrorSignaturesOf, openSourceList } from "@sealhouse/upstream-sources";

type SigningParts = {
  readonly config: Config;
  readonly extensions: readonly Extension[];
  readonly store: ObjectStore;
  readonly keyRing: KeyRing;
  readonly database: Database;
  readonly log: Log;
  readonly now: () => Date;
};

/** Opens the signing of the NuGet feed. */
export function openSigning(parts: SigningParts): FeedSigning {
  const { config, extensions, store, keyRing, database, log, now } = parts;
  const { lookup, seals } = database.nuget;
  const { sources, origins } = database.upstream;
  const list = openSourceList({ mirror: config.mirror, sources, keyRing, now });
  return createFeedSigning({
    signing: config.signing,
    serviceIndexUrl: `${secureBaseUrl({ ...config.feed, ...config.host }).url}/v3/index.json`,
    extensions,
    files: createSharedFiles(store),
    ledger: database.certificates,
    seals,
    sealLookup: {
      async find({ id, version, sha256 }) {
        const storedPackage = await lookup.find(id.toLowerCase(), version.toLowerCase());
        return storedPackage?.blob.sha256 === sha256 ? storedPackage.seal : undefined;
      },
    },
    mirrorSignatures: mirrorSignaturesOf(list, origins),
    ownersOf: (id) => database.ownership.publishers({ protocol: "nuget", name: id.toLowerCase() }),
    noteKept: (certificate) => database.upstream.certificates.note(certificate),
    leases: database.leases,
    derivedPassword: () =>
      Buffer.from(keyRing.derive("signing/certificate-password")).toString("base64url"),
    fetch: openOutgoingFetch(config.host),
    log,
    now,
  });
}
