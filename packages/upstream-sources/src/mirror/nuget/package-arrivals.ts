import { createHash } from "node:crypto";
import type { Caller } from "@sealhouse/request-types";
import type { NuGetUpstream, UpstreamPackage } from "@sealhouse/nuget-protocol";
import type { PublishPorts } from "@sealhouse/nuget-protocol/package";
import { contentKeyOf } from "../../sources/package-source.ts";
import type { PackageSource } from "../../sources/package-source.ts";
import type { OpenedFile } from "../arrivals.ts";
import type { Mirror } from "../mirror.ts";
import type { IdStates } from "./id-states.ts";
import { keepPackage } from "./keep-package.ts";
import type { PackageDocuments } from "./package-documents.ts";
import type { ClientOf } from "./source-clients.ts";
import type { NamedVersion } from "./source-documents.ts";

export type ArrivalParts = {
  readonly mirror: Pick<Mirror, "arrivals" | "calls" | "isOffline">;
  readonly documents: Pick<PackageDocuments, "versions" | "registered">;
  readonly states: Pick<IdStates, "requireAllowed">;
  readonly clientOf: ClientOf;
  readonly ports: PublishPorts;
  readonly caller: Caller;
  /** Whether clients get packages unchanged; otherwise packages are signed first. */
  readonly isAsReceived: boolean;
  readonly packageBytesMax: number | undefined;
  readonly now: () => Date;
};

/** Fetches packages that are not stored. */
export function createPackageArrivals(parts: ArrivalParts): NuGetUpstream["package"] {
  return async (id, version) => {
    const { mirror, documents, states } = parts;
    if (mirror.isOffline) return undefined;
    const found = await documents.versions(id, version);
    if (found.status !== "found") return undefined;
    const isListed = found.value.some((summary) => summary.version.toLowerCase() === version);
    if (!isListed) return undefined;
    await states.requireAllowed({ id, document: "versions", at: found }, version);
    return fetchPackage(parts, found.source, { id, version });
  };
}

async function fetchPackage(
  parts: ArrivalParts,
  source: PackageSource,
  named: NamedVersion,
): Promise<UpstreamPackage | undefined> {
  const { mirror, ports, isAsReceived } = parts;
  const isKept = source.strategy !== "ProxyOnly";
  const key = `${contentKeyOf(source)} ${named.id} ${named.version}`;
  const answer = await mirror.arrivals.fetch({
    key,
    source: source.name,
    maxBytes: source.settings.maxFileBytes,
    open: (signal) => openPackage(parts, source, named, signal),
    isKept: async () => (await ports.lookup.find(named.id, named.version)) !== undefined,
    ...(isKept && { keep: (body, signal) => keep(parts, { source, named }, body, signal) }),
  });
  if (answer.status === "absent") return undefined;
  if (answer.status === "kept") return answer;
  const { content } = answer;
  if (!isKept || isAsReceived) {
    return { status: "arriving", content, etag: createHash("sha256").update(key).digest("hex") };
  }
  // The last byte comes when the package is stored.
  const last = { start: content.size - 1, end: content.size - 1 };
  for await (const _ of content.read(last));
  return { status: "kept" };
}

async function openPackage(
  { mirror, clientOf, packageBytesMax: maxBytes }: ArrivalParts,
  source: PackageSource,
  named: NamedVersion,
  signal: AbortSignal,
): Promise<OpenedFile | undefined> {
  return mirror.calls.run(source, signal, (callSignal) =>
    clientOf(source).package(named, {
      signal: callSignal,
      ...(maxBytes !== undefined && { maxBytes }),
    }),
  );
}

async function keep(
  { clientOf, documents, ports, caller, now }: ArrivalParts,
  { source, named }: { readonly source: PackageSource; readonly named: NamedVersion },
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<"kept"> {
  const client = clientOf(source);
  await keepPackage(
    {
      ports,
      caller,
      client,
      source,
      named,
      async registered() {
        // Its list, which tells no more than the version, was read before.
        if ((await client.resource("registration", { signal })) === undefined) return undefined;
        const found = await documents.registered(named.id);
        if (found.status !== "found") return undefined;
        return found.value.find(({ version }) => isSameVersion(version, named.version));
      },
      now: now(),
      signal,
    },
    body,
  );
  return "kept";
}

/** A registered version may have build metadata. */
function isSameVersion(registered: string, lowerVersion: string): boolean {
  return registered.toLowerCase().split("+")[0] === lowerVersion;
}
