import type { Database } from "@sealhouse/database";
import type { KeyRing } from "@sealhouse/identity";
import { createFeedSigning } from "@sealhouse/repo-signing/feed";
import type { FeedSigning } from "@sealhouse/repo-signing/feed";
import { createSharedFiles } from "@sealhouse/storage-providers";
import type { ObjectStore } from "@sealhouse/storage-providers";
import type { Extension } from "../../extension.ts";
import type { Log } from "../../log.ts";
import type { Config } from "../../settings/config.ts";
import { openOutgoingFetch } from "@sealhouse/http-server";
import { mirrorSignaturesOf } from "./source-list.ts";

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
  return createFeedSigning({
    signing: config.signing,
    serviceIndexUrl: `${secureBaseUrl(config).url}/v3/index.json`,
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
    mirrorSignatures: mirrorSignaturesOf({ config, database, keyRing, now }),
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

/**
 * Returns the address that signatures name: https, and the same for all requests. `assumed`: the
 * configuration has no https address.
 */
export function secureBaseUrl(config: Config): { readonly url: string; readonly assumed: boolean } {
  const [first] = config.feed.publicBaseUrls;
  const secure = config.feed.publicBaseUrls.find((url) => url.startsWith("https://"));
  if (secure !== undefined) return { url: secure, assumed: false };
  if (first !== undefined) return { url: first.replace(/^http:/, "https:"), assumed: true };
  const [address] = config.host.addresses;
  const host = address?.hosts.length === 1 ? (address.hosts[0] ?? "localhost") : "localhost";
  const port = address && ![80, 443].includes(address.port) ? `:${address.port}` : "";
  const name = host.includes(":") ? `[${host}]` : host;
  return { url: `https://${name}${port}`, assumed: true };
}
