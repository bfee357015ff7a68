import { createHash } from "node:crypto";
import { lowerId } from "../notation/package-id.ts";
import { lowerVersion } from "../notation/package-version.ts";
import type { NuGetPorts, StoredPackage } from "../ports.ts";
import type { XmlElement } from "../manifest/xml.ts";
import { parseXml } from "../manifest/xml.ts";
import type { CatalogFile } from "./leaf.ts";
import { deleteItem, detailsItem } from "./leaf.ts";
import type { CatalogSource, CatalogVersion, CatalogWriter, NewCatalogItem } from "./ports.ts";

export type CatalogPorts = Pick<NuGetPorts, "lookup" | "content"> & {
  readonly catalog: CatalogSource & CatalogWriter;
};

/** Something that happened, as the event log tells it. */
export type CatalogEvent = {
  /** Decimal digits; the same event always has the same one. */
  readonly id: string;
  readonly type: string;
  /** `nuget/Acme.Widgets@1.0.0`; everything else is not for this catalog. */
  readonly subject: string;
  readonly at: Date;
};

const SUBJECT = /^nuget\/([^@/]+)@(.+)$/;
const EDITS: ReadonlySet<string> = new Set([
  "package.published",
  "package.unlisted",
  "package.relisted",
  "package.deprecated",
  "package.signed",
]);

/**
 * Writes into the catalog what the events brought about: the state of each version as it is found
 * now, so a late delivery skips states that are past, and a repeated one changes nothing. A catalog
 * that begins empty is filled by the events since the first, however often that is interrupted.
 * Rejects when something cannot be read; what came before it is written by then.
 */
export async function writeCatalog(
  ports: CatalogPorts,
  events: readonly CatalogEvent[],
  signal?: AbortSignal,
): Promise<void> {
  for (const event of events) {
    signal?.throwIfAborted();
    const item = await itemOf(ports, event, signal);
    if (item) await ports.catalog.append([item]);
  }
}

async function itemOf(
  ports: CatalogPorts,
  event: CatalogEvent,
  signal: AbortSignal | undefined,
): Promise<NewCatalogItem | undefined> {
  const [, id, version] = SUBJECT.exec(event.subject) ?? [];
  if (id === undefined || version === undefined) return undefined;
  if (event.type === "package.deleted") return deleteItem({ id, version }, event);
  const normal = lowerVersion(version);
  if (!EDITS.has(event.type) || normal === undefined) return undefined;
  const described = await ports.catalog.describe(lowerId(id), normal);
  const stored = described && (await ports.lookup.find(lowerId(id), normal));
  // Deleted in the meantime, which is an event of its own.
  if (!described || !stored) return undefined;
  return detailsItem(described.record, {
    eventId: event.id,
    file: await servedFile(ports, { described, stored }, signal),
    verbatimVersion: verbatimVersion(stored.nuspec),
    editedAt: event.at,
  });
}

/**
 * The file as clients get it. A signed one is read through, because its hash is known nowhere; one
 * that will only be signed when it is first asked for is described as received until then.
 */
async function servedFile(
  { content }: CatalogPorts,
  { described, stored }: { readonly described: CatalogVersion; readonly stored: StoredPackage },
  signal: AbortSignal | undefined,
): Promise<CatalogFile> {
  const received = { hash: described.sha512, size: described.record.size };
  if (!stored.seal) return received;
  try {
    const served = await content.open(stored);
    const hash = createHash("sha512");
    for await (const chunk of served.read()) {
      signal?.throwIfAborted();
      hash.update(chunk);
    }
    return { hash: hash.digest("base64"), size: served.size };
  } catch (error) {
    // What can never be served must not hold up the catalog of everything else.
    if (isForGood(error)) return received;
    throw error;
  }
}

/** The bytes are lost, or do not go with their signature. */
function isForGood(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "not-found" || code === "splice-plan";
}

/** The version as the manifest spells it. */
function verbatimVersion(nuspec: Uint8Array): string | undefined {
  const xml = parseXml(nuspec);
  if (xml.status === "unreadable") return undefined;
  const child = ({ children }: XmlElement, name: string) =>
    children.find((one) => one.name.replace(/^.*:/, "") === name);
  const metadata = child(xml.root, "metadata");
  return metadata && child(metadata, "version")?.text;
}
