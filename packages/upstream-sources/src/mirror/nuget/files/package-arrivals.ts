import { createHash } from "node:crypto";
import type { Caller } from "@sealhouse/request-types";
import { NuGetError } from "@sealhouse/nuget-protocol";
import type { NuGetUpstream, UpstreamPackage } from "@sealhouse/nuget-protocol";
import type { RefusedFiles } from "./refused-files.ts";
import type { PublishPorts } from "@sealhouse/nuget-protocol/package";
import type { FastLane } from "../../../policy/fast-lane.ts";
import { contentKeyOf } from "../../../sources/package-source.ts";
import type { PackageSource } from "../../../sources/package-source.ts";
import type { OpenedFile } from "../../files/arrivals.ts";
import type { Mirror } from "../../mirror.ts";
import type { IdStates } from "../policy/id-states.ts";
import type { CachedPackage, FindCached } from "./local-cache.ts";
import { InvalidFileError, keepPackage, WrongFileError } from "./keep-package.ts";
import type { PackageDocuments } from "../documents/package-documents.ts";
import type { ClientOf } from "../documents/source-clients.ts";
import type { NamedVersion } from "../documents/source-documents.ts";

export type ArrivalParts = {
  readonly mirror: Pick<Mirror, "arrivals" | "calls" | "isForEveryone" | "isOffline">;
  readonly documents: Pick<PackageDocuments, "versions" | "registered">;
  readonly states: Pick<IdStates, "requireAllowed">;
  readonly refusedFiles: RefusedFiles;
  /** Compares the documents of an id with the source at once. */
  readonly recheck: (source: PackageSource, id: string) => void;
  readonly clientOf: ClientOf;
  readonly ports: PublishPorts;
  readonly caller: Caller;
  /** Whether clients get packages unchanged; otherwise packages are signed first. */
  readonly isAsReceived: boolean;
  readonly packageBytesMax: number | undefined;
  /** Finds packages that this machine has already. */
  readonly findCached?: FindCached | undefined;
  /** Whether those are stored. */
  readonly isCopied: boolean;
  readonly policy: { readonly fastLane?: FastLane };
  readonly now: () => Date;
};

/** Fetches packages that are not stored. */
export function createPackageArrivals(parts: ArrivalParts): NuGetUpstream["package"] {
  return async (id, version) => {
    const { mirror, documents, states, findCached } = parts;
    if (mirror.isOffline && !findCached) return undefined;
    const found = await documents.versions(id, version);
    if (found.status !== "found") return undefined;
    const isListed = found.value.some((summary) => summary.version.toLowerCase() === version);
    if (!isListed) return undefined;
    const read = { id, document: "versions", at: found } as const;
    const fixes = await states.requireAllowed(read, version);
    const named = { id, version };
    const refusal = (await parts.refusedFiles.of(found.source, id)).get(version);
    if (refusal !== undefined) throw refusedFile(found.source, named, refusal);
    const cached = await findCached?.(named, found.source);
    if (mirror.isOffline && !cached) return undefined;
    return fetchPackage(parts, { source: found.source, fixes, cached }, named);
  };
}

type Admitted = {
  readonly source: PackageSource;
  /** The advisory without which it would be held back. */
  readonly fixes: string | undefined;
  readonly cached?: CachedPackage | undefined;
};

async function fetchPackage(
  parts: ArrivalParts,
  { source, fixes, cached }: Admitted,
  named: NamedVersion,
): Promise<UpstreamPackage | undefined> {
  const { mirror, ports, isAsReceived } = parts;
  // Stored packages have the dates and hashes of their source, which is not called offline.
  const mayCopy = !cached || (parts.isCopied && !mirror.isOffline);
  const isKept = source.strategy !== "ProxyOnly" && mayCopy && mirror.isForEveryone();
  const key = `${contentKeyOf(source)} ${named.id} ${named.version}`;
  const answer = await mirror.arrivals.fetch({
    key,
    source: source.name,
    maxBytes: source.settings.maxFileBytes,
    open: (signal) => (cached ? cached() : openPackage(parts, source, named, signal)),
    onRefused: () => parts.recheck(source, named.id),
    isKept: async () => (await ports.lookup.find(named.id, named.version)) !== undefined,
    ...(isKept && {
      async keep(body, signal) {
        const outcome = await keep(parts, { source, named }, body, signal).catch(
          async (error: unknown) => {
            if (error instanceof WrongFileError) parts.recheck(source, named.id);
            if (!(error instanceof InvalidFileError)) throw error;
            await parts.refusedFiles.note(source, named, error.message);
            throw refusedFile(source, named, error.message);
          },
        );
        if (fixes !== undefined) await noteAdmitted(parts, { source, fixes }, named);
        return outcome;
      },
    }),
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

/** Clients do not repeat a request that is answered 404. */
function refusedFile(
  { name }: PackageSource,
  { id, version }: NamedVersion,
  reason: string,
): NuGetError {
  const problem = `The package source ${name} has a file for ${id} ${version} that is refused.`;
  return new NuGetError("refused-file", { problems: [problem, reason] });
}

async function noteAdmitted(
  { policy: { fastLane } }: ArrivalParts,
  { source, fixes: advisory = "" }: Admitted,
  { id: name, version }: NamedVersion,
): Promise<void> {
  await fastLane?.note({ protocol: "nuget", name, version, source: source.name, advisory });
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
