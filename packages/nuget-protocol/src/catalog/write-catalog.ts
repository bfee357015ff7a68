import { lowerId } from "../notation/package-id.ts";
import { lowerVersion } from "../notation/package-version.ts";
import type { NuGetPorts } from "../ports.ts";
import type { HashPorts } from "../provenance/hash-files.ts";
import { hashFiles } from "../provenance/hash-files.ts";
import type { Provenance } from "../provenance/ports.ts";
import type { CatalogFile } from "./leaf.ts";
import { deleteItem, detailsItem } from "./leaf.ts";
import type { CatalogWriter, NewCatalogItem } from "./ports.ts";

export type CatalogPorts = Pick<NuGetPorts, "lookup" | "provenance"> &
  HashPorts & {
    readonly catalog: CatalogWriter;
  };

export type CatalogOptions = {
  /** Whether packages leave with the feed's signature, where they have one. Default false. */
  readonly signingEnabled?: boolean;
  readonly signal?: AbortSignal;
};

/** An event of the event log. */
export type CatalogEvent = {
  /** Decimal digits; the same event always has the same one. */
  readonly id: string;
  readonly type: string;
  /** `nuget/Acme.Widgets@1.0.0`; everything else is not for this catalog. */
  readonly subject: string;
  readonly at: Date;
  readonly detail?: Readonly<Record<string, unknown>>;
};

const SUBJECT = /^nuget\/([^@/]+)@(.+)$/;
const PACKAGE = /^nuget\/([^@/]+)$/;
/** Items that are appended in one transaction. */
const BATCH_SIZE = 50;
const EDITS: ReadonlySet<string> = new Set([
  "package.published",
  "package.unlisted",
  "package.relisted",
  "package.deprecated",
  "package.signed",
]);

/**
 * Writes the results of events to the catalog: the current state of each version. So a late
 * delivery skips past states, and a repeated one changes nothing. An empty catalog is filled from
 * all events since the first, however often that is interrupted. A package that is shown again gets
 * an item for each version, once more after an interruption. Rejects when something cannot be read;
 * earlier items are written by then. Computed hashes are stored, so that no event causes a second
 * read of the same file.
 */
export async function writeCatalog(
  ports: CatalogPorts,
  events: readonly CatalogEvent[],
  options: CatalogOptions = {},
): Promise<void> {
  const items: NewCatalogItem[] = [];
  const append = async () => {
    if (items.length > 0) await ports.catalog.append(items.splice(0));
  };
  try {
    for (const event of events) {
      options.signal?.throwIfAborted();
      const shown = shownPackage(event);
      if (shown !== undefined) {
        await append();
        await writePackage(ports, { id: shown, at: event.at }, options);
      }
      const item = await itemOf(ports, event, options);
      if (item) items.push(item);
      if (items.length === BATCH_SIZE) await append();
    }
  } finally {
    await append();
  }
}

/** The package that an event made public again, in lower case. */
function shownPackage({ type, subject, detail }: CatalogEvent): string | undefined {
  const [, id] = PACKAGE.exec(subject) ?? [];
  // Hiding wrote its items itself; its event may arrive when the package is public again.
  const isShown = type === "package.access-changed" && detail?.["access"] === "public";
  return isShown && id !== undefined ? lowerId(id) : undefined;
}

/** Appends the current state of each version of a package, unless it is hidden. */
async function writePackage(
  ports: CatalogPorts,
  { id, at }: { readonly id: string; readonly at: Date },
  options: CatalogOptions,
): Promise<void> {
  if (!(await ports.catalog.shows(id))) return;
  const versions = await ports.lookup.summaries(id, { onlyNumbers: true });
  for (let start = 0; start < versions.length; start += BATCH_SIZE) {
    const items: NewCatalogItem[] = [];
    for (const { version } of versions.slice(start, start + BATCH_SIZE)) {
      options.signal?.throwIfAborted();
      const item = await detailsOf(ports, { id, version: version.toLowerCase(), at }, options);
      if (item) items.push(item);
    }
    await ports.catalog.append(items);
  }
}

async function itemOf(
  ports: CatalogPorts,
  event: CatalogEvent,
  options: CatalogOptions,
): Promise<NewCatalogItem | undefined> {
  const [, id, version] = SUBJECT.exec(event.subject) ?? [];
  if (id === undefined || version === undefined) return undefined;
  const { id: eventId, at } = event;
  if (event.type === "package.deleted") return { ...deleteItem({ id, version }, at), eventId };
  const normal = lowerVersion(version);
  if (!EDITS.has(event.type) || normal === undefined) return undefined;
  return detailsOf(ports, { id: lowerId(id), version: normal, eventId, at }, options);
}

/** The current state of a version; undefined when it is gone. */
async function detailsOf(
  ports: CatalogPorts,
  change: {
    readonly id: string;
    readonly version: string;
    readonly eventId?: string;
    readonly at: Date;
  },
  { signingEnabled = false, signal }: CatalogOptions,
): Promise<NewCatalogItem | undefined> {
  const { id, version, eventId, at } = change;
  const provenance = await provenanceOf(ports, { id, version }, signal);
  const [record] = provenance ? await ports.lookup.versions(id, [version]) : [];
  // Deleted in the meantime, which is a separate event.
  if (!record || !provenance) return undefined;
  const file = servedFile(provenance, signingEnabled);
  return detailsItem(record, { eventId, file, editedAt: at });
}

/** The files of a version, after a read of those whose hashes are not stored. */
async function provenanceOf(
  ports: CatalogPorts,
  identity: { readonly id: string; readonly version: string },
  signal: AbortSignal | undefined,
): Promise<Provenance | undefined> {
  const { id, version } = identity;
  const known = await ports.provenance.find(id, version);
  if (!known || isComplete(known)) return known;
  await hashFiles(ports, identity, signal);
  return ports.provenance.find(id, version);
}

function isComplete({ contentHash, signed }: Provenance): boolean {
  return contentHash !== undefined && signed.every(({ digests }) => digests !== undefined);
}

/**
 * The file as clients get it. One that will only be signed when it is first asked for is described
 * as received until then, and so is one whose bytes are lost.
 */
function servedFile({ received, signed }: Provenance, signingEnabled: boolean): CatalogFile {
  const today = signed.find(({ replacedAt }) => replacedAt === undefined);
  return signingEnabled && today?.digests
    ? { hash: today.digests.sha512, size: today.size }
    : { hash: received.sha512, size: received.size };
}
