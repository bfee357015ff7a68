import { ascendingVersions } from "@sealhouse/nuget-protocol";
import type { PackageRecord, UpstreamDocument, VersionSummary } from "@sealhouse/nuget-protocol";
import type { PackageSource } from "../../../sources/package-source.ts";
import type { DocumentAsk } from "../../documents/document-ask.ts";
import type { FoundAtSource, Mirror } from "../../mirror.ts";
import { createDocumentMemory } from "./document-memory.ts";
import { readRegistration } from "./kept-registration.ts";
import type { KeptVersion } from "./kept-registration.ts";
import { recordOfKept, summaryOfNumber } from "./package-record.ts";
import type { NamedVersion, SourceDocuments } from "./source-documents.ts";
import { versionsIn } from "./source-documents.ts";

/** Answer of the sources about a package. */
export type FromSource<Value> =
  | ({ readonly status: "found"; readonly value: Value } & FoundAtSource)
  /** It was published here, or no source is for it: rows tell everything. */
  | { readonly status: "local" }
  /** It would come from a source, but none has it. */
  | { readonly status: "absent" };

/** Documents of packages that are not published here. Ids and versions are lower-cased.
 * @throws {UpstreamUnavailableError} */
export type PackageDocuments = {
  /** `mustHave`: asks the source once more when its kept list lacks this version. */
  versions(id: string, mustHave?: string): Promise<FromSource<readonly VersionSummary[]>>;
  records(id: string): Promise<FromSource<readonly PackageRecord[]>>;
  registered(id: string): Promise<FromSource<readonly KeptVersion[]>>;
  /** The whole answer of the source that has the document. */
  revise(id: string, document: UpstreamDocument): Promise<FoundAtSource | undefined>;
  file(
    source: PackageSource,
    kind: "nuspec" | "readme",
    named: NamedVersion,
  ): Promise<Uint8Array | undefined>;
};

export function createPackageDocuments(
  mirror: Pick<Mirror, "documents" | "findFirst" | "locate">,
  documents: SourceDocuments,
): PackageDocuments {
  const remember = createDocumentMemory();
  const find = async <Value>(
    id: string,
    askOf: (source: PackageSource) => DocumentAsk,
    [kind, parse]: readonly [kind: string, parse: (bytes: Uint8Array) => Value],
  ): Promise<FromSource<Value>> => {
    const found = await mirror.findFirst({ protocol: "nuget", name: id }, askOf);
    if (found === "own") return { status: "local" };
    if (found !== "absent") {
      const value = await remember(`${kind} ${id}`, found.answer, parse);
      return { status: "found", ...found, value };
    }
    const { status } = await mirror.locate({ protocol: "nuget", name: id });
    return { status: status === "sources" ? "absent" : "local" };
  };
  const registration = (id: string) => (source: PackageSource) =>
    documents.registration(source, id);
  return {
    versions: (id, mustHave) =>
      find(
        id,
        (source) => ({
          ...documents.versions(source, id),
          ...(mustHave !== undefined && {
            isEnough: (bytes) => versionsIn(bytes).includes(mustHave),
          }),
        }),
        ["versions", (bytes) => summariesIn(id, bytes)],
      ),
    records: (id) => find(id, registration(id), ["records", recordsIn]),
    registered: (id) => find(id, registration(id), ["registered", readRegistration]),
    async revise(id, document) {
      const found = await mirror.findFirst({ protocol: "nuget", name: id }, (source) =>
        documents[document](source, id),
      );
      return found === "own" || found === "absent" ? undefined : found;
    },
    async file(source, kind, named) {
      const answer = await mirror.documents.read(documents[kind](source, named));
      return answer.status === "found" ? answer.bytes() : undefined;
    },
  };
}

function summariesIn(id: string, bytes: Uint8Array): readonly VersionSummary[] {
  return ascendingVersions(
    versionsIn(bytes).flatMap((number) => summaryOfNumber(id, number) ?? []),
  );
}

function recordsIn(bytes: Uint8Array): readonly PackageRecord[] {
  return ascendingVersions(readRegistration(bytes).flatMap((kept) => recordOfKept(kept) ?? []));
}
