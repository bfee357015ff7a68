import type { NuGetPorts, PackageContent } from "@sealhouse/nuget-protocol";
import { createNuGetApp } from "@sealhouse/nuget-protocol";
import { redirectedPackages, storedPackages } from "@sealhouse/feed";
import type { Hono } from "hono";
import { createPackageAuthorize } from "@sealhouse/identity";
import type { PolicyExchange } from "@sealhouse/identity";
import type { Database, DownloadCounts } from "@sealhouse/database";
import type { DescribeUnavailable, DocumentStore } from "@sealhouse/http-responses";
import type { FeedSigning } from "@sealhouse/repo-signing/feed";
import type { Metrics } from "../metrics.ts";
import type { Config } from "../settings/config.ts";
import type { AccessRules } from "./access.ts";
import type { Mirrored } from "./mirrored.ts";
import type { RegistryResources } from "./registry-resources.ts";
import { nugetExchange } from "./policy-exchange.ts";
import { signedPackages } from "./signing.ts";

type NuGetParts = {
  readonly config: Config;
  readonly database: Pick<Database, "nuget" | "ownership">;
  readonly documents: DocumentStore;
  readonly viewDocuments: DocumentStore;
  readonly blobs: Pick<RegistryResources["blobs"], "nuget">;
  readonly rules: AccessRules;
  readonly exchange: PolicyExchange;
  readonly signing: FeedSigning;
  readonly signedCopies: RegistryResources["signedCopies"];
  readonly metrics: Pick<Metrics, "count">;
  readonly downloads: Pick<DownloadCounts, "add">;
  readonly unavailable: DescribeUnavailable;
  /** Lookup with the packages of other feeds. */
  readonly mirrored: Pick<Mirrored, "nuget">;
};

export function openNuGetApp(parts: NuGetParts): Hono {
  const { maxPackageBytes, reportAbuseUrl, ...rules } = parts.config.feed.nuget;
  return createNuGetApp(nugetPorts(parts), {
    ...rules,
    unavailable: parts.unavailable,
    shieldLabel: parts.config.host.serverName,
    signingEnabled: parts.config.signing.mode !== "off",
    ...(maxPackageBytes !== undefined && { maxPackageBytes }),
    ...(reportAbuseUrl !== undefined && { reportAbuseUrl }),
  });
}

/** Served bytes are stored bytes, then signed: wrappers stack here and nowhere else. */
function nugetContent({
  blobs,
  signing,
  signedCopies: copies,
}: Pick<NuGetParts, "blobs" | "signing" | "signedCopies">): PackageContent {
  const served = signedPackages(storedPackages(blobs.nuget), signing);
  return copies ? redirectedPackages(served, { blobs: blobs.nuget, copies }) : served;
}

/** A first version is signed before its publisher owns it. */
function withPublishedOwners({
  database,
  signing,
}: Pick<NuGetParts, "database" | "signing">): NuGetPorts["sealer"] {
  return {
    async seal(file, { publisher, ...identity }) {
      if (!signing.job) return signing.seal(file, identity);
      const known = publisher?.ownedName;
      const name = { protocol: "nuget", name: identity.id.toLowerCase() } as const;
      const owners =
        known && !known.isNew
          ? known.owners
          : await database.ownership.publishers(name, publisher?.holderId);
      return signing.seal(file, { ...identity, owners });
    },
  };
}

function nugetPorts({
  database,
  documents,
  viewDocuments,
  blobs,
  rules,
  exchange,
  signing,
  signedCopies,
  metrics,
  downloads,
  mirrored,
}: NuGetParts): NuGetPorts {
  return {
    lookup: mirrored.nuget.lookup,
    upstream: mirrored.nuget.upstream,
    recorder: database.nuget.recorder,
    lifecycle: database.nuget.lifecycle,
    search: mirrored.nuget.search,
    symbols: database.nuget.symbols,
    advisories: mirrored.nuget.advisories,
    catalog: database.nuget.catalog,
    provenance: database.nuget.provenance,
    certificates: mirrored.nuget.certificates,
    documents,
    files: blobs.nuget,
    content: nugetContent({ blobs, signing, signedCopies }),
    sealer: withPublishedOwners({ database, signing }),
    authorize: createPackageAuthorize(rules, "nuget"),
    exchange: nugetExchange(exchange, rules.contexts),
    address: (request, env) => rules.contexts.of(request, env).publicAddress,
    count(what, pulled) {
      metrics.count("nuget", what);
      if (pulled) downloads.add("nuget", pulled.id, pulled.version);
    },
    views: { past: mirrored.nuget.past, documents: viewDocuments },
  };
}
