import { lowerVersion } from "@sealhouse/nuget-protocol";
import type { UpstreamDocument } from "@sealhouse/nuget-protocol";
import type { PackageSource } from "../../../sources/package-source.ts";
import type { FoundAtSource, Mirror } from "../../mirror.ts";
import { createDocumentMemory } from "./document-memory.ts";
import { readRegistration } from "./kept-registration.ts";
import type { KeptVersion } from "./kept-registration.ts";
import type { SourceDocuments } from "./source-documents.ts";
import { versionsIn } from "./source-documents.ts";

/** The versions of a package at its source. */
export type ToldVersions = {
  /** Changes with them. */
  readonly revision: string;
  /** Versions of lists, which tell no dates. Lower-cased. */
  readonly numbers: readonly string[];
  readonly registered: readonly KeptVersion[];
};

/** Reads the versions that decisions are about. Throws `UpstreamUnavailableError`. */
export type ToldVersionsReader = {
  /** Returns the versions of a document; the dates of lists come from the registration. */
  of(id: string, document: UpstreamDocument, found: FoundAtSource): Promise<ToldVersions>;
  /** Returns these versions with what the registration tells, without a claim to the id. */
  at(source: PackageSource, id: string, numbers: readonly string[]): Promise<ToldVersions>;
};

export function createToldVersions(
  mirror: Pick<Mirror, "documents">,
  documents: Pick<SourceDocuments, "registration">,
): ToldVersionsReader {
  const remember = createDocumentMemory();
  const at: ToldVersionsReader["at"] = async (source, id, listed) => {
    const numbers = listed.flatMap((number) => lowerVersion(number) ?? []);
    const answer = await mirror.documents.read({
      ...documents.registration(source, id),
      isEnough: (bytes) => isSubset(numbers, readRegistration(bytes)),
    });
    if (answer.status === "absent") return { revision: "", numbers, registered: [] };
    const registered = await remember(`registered ${id}`, answer, readRegistration);
    return { revision: answer.revision, numbers, registered };
  };
  return {
    at,
    async of(id, document, { source, answer }) {
      if (document === "registration") {
        const registered = await remember(`registered ${id}`, answer, readRegistration);
        return { revision: answer.revision, numbers: [], registered };
      }
      const told = await at(source, id, await remember(`numbers ${id}`, answer, versionsIn));
      return { ...told, revision: `${answer.revision} ${told.revision}` };
    },
  };
}

function isSubset(numbers: readonly string[], registered: readonly KeptVersion[]): boolean {
  const known = new Set(registered.map(({ version }) => lowerVersion(version)));
  return numbers.every((number) => known.has(number));
}
