import { createHash } from "node:crypto";
import { documentGroup } from "@sealhouse/nuget-protocol";
import { contentKeyOf } from "../../../sources/package-source.ts";
import type { PackageSource } from "../../../sources/package-source.ts";
import type { DocumentKey, KeptDocuments } from "../../ports.ts";
import type { NamedVersion } from "../documents/source-documents.ts";

/** Versions whose files the checks of this registry refuse, with the reasons. Lower-cased. */
export type RefusedFiles = {
  of(source: PackageSource, id: string): Promise<ReadonlyMap<string, string>>;
  note(source: PackageSource, named: NamedVersion, reason: string): Promise<void>;
};

/** A later version of this registry may accept the file, and the source may replace it. */
const REFUSED_FOR_MS = 24 * 60 * 60_000;
/** Versions of one package. The oldest refusal is forgotten beyond it. */
const VERSIONS_MAX = 1_000;
const REASON_LENGTH_MAX = 1_000;

type Refusal = { readonly version: string; readonly reason: string; readonly atMs: number };

/** Keeps refusals as rows, so that no instance fetches such a file again for a day. */
export function createRefusedFiles({
  kept,
  now,
}: {
  readonly kept: Pick<KeptDocuments, "bytes" | "put">;
  readonly now: () => Date;
}): RefusedFiles {
  const read = async (key: DocumentKey): Promise<readonly Refusal[]> => {
    const since = now().getTime() - REFUSED_FOR_MS;
    return refusalsIn(await kept.bytes(key)).filter(({ atMs }) => atMs > since);
  };
  return {
    async of(source, id) {
      const refusals = await read(keyOf(source, id));
      return new Map(refusals.map(({ version, reason }) => [version, reason]));
    },
    async note(source, { id, version }, reason) {
      const key = keyOf(source, id);
      const others = (await read(key)).filter((refusal) => refusal.version !== version);
      const refusal = {
        version,
        reason: reason.slice(0, REASON_LENGTH_MAX),
        atMs: now().getTime(),
      };
      const bytes = Buffer.from(JSON.stringify([...others, refusal].slice(-VERSIONS_MAX)));
      const revision = createHash("sha256").update(bytes).digest("hex");
      // The lists of the package change.
      const group = documentGroup(id);
      await kept.put(key, { status: "found", revision, checkedAt: now(), bytes }, [group]);
    },
  };
}

function keyOf(source: PackageSource, id: string): DocumentKey {
  return {
    protocol: "nuget",
    source: contentKeyOf(source),
    kind: "refused-files",
    name: id,
    part: "",
  };
}

/** The rows are what `note` wrote. */
function refusalsIn(bytes: Uint8Array | undefined): readonly Refusal[] {
  return bytes ? (JSON.parse(Buffer.from(bytes).toString()) as readonly Refusal[]) : [];
}
