import type { PackageSource } from "../../sources/package-source.ts";
import { sourcesFor } from "../../sources/sources-for.ts";
import type { WantedName } from "../../sources/sources-for.ts";
import type { DocumentAsk } from "../documents/document-ask.ts";
import type { DocumentReader } from "../documents/document-reader.ts";
import type { NameOrigins, SourceList } from "../ports.ts";

type Parts = {
  readonly sources: SourceList;
  readonly origins: Pick<NameOrigins, "find" | "claim">;
  readonly documents: Pick<DocumentReader, "read">;
};

/**
 * Returns the source whose package a publish of a name would replace for all who install it here:
 * the source that it was found at before, or else the first one that has it. Undefined for names
 * that were published or reserved here. The loop protection does not apply: a client must not
 * avoid this question with a header.
 * @throws UpstreamUnavailableError when a source fails that may have the name
 */
export async function shadowedSource(
  { sources, origins, documents }: Parts,
  wantedName: WantedName,
  askOf: (source: PackageSource) => DocumentAsk,
): Promise<string | undefined> {
  const listed = sourcesFor(await sources.current(), wantedName);
  if (listed.length === 0) return undefined;
  const { protocol } = wantedName;
  const name = protocol === "nuget" ? wantedName.name.toLowerCase() : wantedName.name;
  const origin = await origins.find(protocol, name);
  if (origin) return origin.origin === "mirrored" ? origin.source : undefined;
  for (const source of listed) {
    const claim = { protocol, name, source: source.name };
    const answer = await documents.read({ ...askOf(source), claim });
    if (answer.status === "absent") continue;
    const now =
      (await origins.find(protocol, name)) ?? (await origins.claim(protocol, name, source.name));
    return now.origin === "mirrored" ? now.source : undefined;
  }
  return undefined;
}
