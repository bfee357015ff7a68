import { SYSTEM } from "@sealhouse/events";
import {
  nugetExchange,
  redirectedPackages,
  retentionPorts,
  signedPackages,
  storedPackages,
} from "@sealhouse/feed";
import { createPackageAuthorize } from "@sealhouse/identity";
import type { Job } from "@sealhouse/jobs";
import { createNuGetApp, createServiceIndex, retentionJob } from "@sealhouse/nuget-protocol";
import type { NuGetPorts, PackageContent, ReadServiceIndex } from "@sealhouse/nuget-protocol";
import { degradedSigning, resignJob } from "@sealhouse/repo-signing/feed";
import type { Hono } from "hono";
import { noteWithheld } from "../../http/noted-refusals.ts";
import { addSigningMetrics } from "../../operations/signing-metrics.ts";
import type { Core } from "../core.ts";
import type { FeatureModule } from "../feature.ts";
import type { RegistryResources } from "../resources/registry-resources.ts";

/** NuGet: its feed, the signing of its packages, and retention. */
export const nuget: FeatureModule = {
  open(core) {
    const { signing } = core.resources;
    const ports = portsOf(core);
    const serviceIndex = openServiceIndex(core, ports);
    return {
      protocol: "nuget",
      surfaces: [{ surfaceId: "nuget", protocol: "NuGet", ociSegment: null, routePrefix: "" }],
      apps: { nuget: openApp(core, ports, serviceIndex) },
      shortcuts: { nuget: { serviceIndex } },
      jobs: jobsOf(core),
      numbers: (registry, feed) => addSigningMetrics(registry, feed, signing),
      problems: () => (signing.isEnabled ? { signing: degradedSigning(signing.state()) } : {}),
      prepare: () => signing.prepare(),
    };
  },
};

function openServiceIndex({ config, resources, now }: Core, ports: NuGetPorts): ReadServiceIndex {
  const { isReadOnlyMode, reportAbuseUrl } = config.feed.nuget;
  return createServiceIndex(ports, {
    acceptsPackages: !isReadOnlyMode,
    signsPackages: resources.signing.isEnabled,
    ...(reportAbuseUrl !== undefined && { reportAbuseUrl }),
    now,
  });
}

function openApp(core: Core, ports: NuGetPorts, serviceIndex: ReadServiceIndex): Hono {
  const { config, resources, unavailable } = core;
  const { maxPackageBytes, reportAbuseUrl, ...rules } = config.feed.nuget;
  return createNuGetApp(ports, {
    ...rules,
    serviceIndex,
    unavailable,
    onWithheld: (request, env) => noteWithheld(core.edge.contexts.of(request, env)),
    shieldLabel: config.host.serverName,
    signingEnabled: resources.signing.isEnabled,
    ...(maxPackageBytes !== undefined && { maxPackageBytes }),
    ...(reportAbuseUrl !== undefined && { reportAbuseUrl }),
  });
}

function portsOf({ resources, access, content, metrics, downloads }: Core): NuGetPorts {
  const { database, blobs } = resources;
  const { rules, exchange } = access;
  const { mirrored, documents, viewDocuments } = content;
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
    content: contentOf(resources),
    sealer: withPublishedOwners(resources),
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

/** Served bytes are stored bytes, then signed: wrappers stack here and nowhere else. */
function contentOf({ blobs, signing, signedCopies: copies }: RegistryResources): PackageContent {
  const served = signedPackages(storedPackages(blobs.nuget), signing);
  return copies ? redirectedPackages(served, { blobs: blobs.nuget, copies }) : served;
}

/** A first version is signed before its publisher owns it. */
function withPublishedOwners({ database, signing }: RegistryResources): NuGetPorts["sealer"] {
  return {
    async seal(file, { publisher, ...identity }) {
      if (!signing.isEnabled) return signing.seal(file, identity);
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

function jobsOf({ config, resources, log, now }: Core): readonly (Job | undefined)[] {
  const { database, blobs, signing } = resources;
  const { certificates: ledger, leases, nuget: packages } = database;
  const resigning = {
    ledger,
    leases,
    seals: packages.seals,
    blobs: blobs.nuget,
    signing,
    log,
    now,
  };
  const retention = { leases, retention: config.retention, caller: SYSTEM, log, now };
  return [
    retentionJob({ ports: retentionPorts(database), ...retention }),
    signing.resignsAfterRotation ? resignJob(resigning) : undefined,
    signing.job,
  ];
}
