import type { NuGetUpstream, PackageLookup } from "@sealhouse/nuget-protocol";
import type { PublishPorts } from "@sealhouse/nuget-protocol/package";
import type { Caller } from "@sealhouse/request-types";
import type { Mirror } from "../mirror.ts";
import { mirroredLookup } from "./mirrored-lookup.ts";
import { createPackageArrivals } from "./package-arrivals.ts";
import { createPackageDocuments } from "./package-documents.ts";
import type { PackageDocuments } from "./package-documents.ts";
import { createRevisions } from "./revisions.ts";
import { createSourceClients } from "./source-clients.ts";
import type { ClientOf } from "./source-clients.ts";
import { createSourceDocuments } from "./source-documents.ts";

export type MirroredNuGetParts = {
  readonly mirror: Mirror;
  /** Of the feed: what is stored. */
  readonly ports: PublishPorts;
  /** The caller of the events of fetched versions. */
  readonly caller: Caller;
  /** Whether packages leave as they were received; otherwise they are signed before they leave. */
  readonly isAsReceived: boolean;
  /** Size of one package file; undefined = no own limit. */
  readonly packageBytesMax: number | undefined;
  readonly now: () => Date;
};

/** The packages of sources, beside those of the feed. */
export type MirroredNuGet = {
  /** Answers for both. */
  readonly lookup: PackageLookup;
  readonly upstream: NuGetUpstream;
  readonly clientOf: ClientOf;
};

export function mirroredNuGet(parts: MirroredNuGetParts): MirroredNuGet {
  const { mirror, ports, now } = parts;
  const clientOf = createSourceClients(mirror, now);
  const documents = createPackageDocuments(mirror, createSourceDocuments(clientOf, now));
  const revise = createRevisions({
    hasSources: async () => (await mirror.upstreams("nuget")).length > 0,
    read: (id, document) => documents.revise(id, document),
    now,
  });
  return {
    lookup: mirroredLookup(ports.lookup, documents),
    clientOf,
    upstream: {
      revise,
      package: createPackageArrivals({ ...parts, documents, clientOf }),
      nuspec: (id, version) => fileOf(documents, "nuspec", { id, version }),
      readme: (id, version) => fileOf(documents, "readme", { id, version }),
    },
  };
}

/** A file of a version that a source lists. */
async function fileOf(
  documents: PackageDocuments,
  kind: "nuspec" | "readme",
  named: { readonly id: string; readonly version: string },
): Promise<Uint8Array | undefined> {
  const found = await documents.versions(named.id, named.version);
  if (found.status !== "found") return undefined;
  const isListed = found.value.some(({ version }) => version.toLowerCase() === named.version);
  return isListed ? documents.file(found.source, kind, named) : undefined;
}
