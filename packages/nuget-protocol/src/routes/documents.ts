import type { DocumentOptions, StoredDocument } from "@sealhouse/http-responses";
import { documentOf, mountPath, renderDocument, sendDocument } from "@sealhouse/http-responses";
import type { Context, Hono } from "hono";
import type { Advisory } from "../advisories/ports.ts";
import { portsForRead } from "../require-access.ts";
import type { ViewPorts } from "../hidden-ids.ts";
import type { DocumentKind } from "../document-key.ts";
import { documentGroup, documentKey } from "../document-key.ts";
import { documentKindOf } from "../document-path.ts";
import { NuGetError } from "../errors.ts";
import { versionsDocument } from "../flat-container.ts";
import { completionDocument } from "../search/document.ts";
import { parsePackageVersion } from "../notation/package-version.ts";
import type { NuGetPorts, VersionSummary } from "../ports.ts";
import type { IdState, StaleAnswer, UpstreamDocument } from "../upstream/ports.ts";
import {
  registrationIndex,
  registrationLeaf,
  registrationOutline,
  registrationPage,
  versionsOfPage,
} from "../registration/registration.ts";

/** Headers of stored documents: any cache may store them, but must revalidate before each use. */
export const STORED_DOCUMENT_OPTIONS: DocumentOptions = { cacheControl: "no-cache" };

export const JSON_TYPE = "application/json";

type Rendered = { readonly content: string; readonly isKept: boolean };

/** Version lists and registration documents: rendered once per change, then read from the store. */
export function mountDocuments(app: Hono, allPorts: ViewPorts): void {
  const answer = async (c: Context) => {
    const kind = documentKindOf(c.req.path.slice(mountPath(c).length));
    const ports = await portsForRead(allPorts, c, kind?.id);
    const response = kind && (await storedAnswer(c, ports, kind));
    if (!response) throw new NuGetError("not-found");
    return response;
  };
  app.get("/v3/package/:id/index.json", answer);
  app.get("/v3/:hive{registration[a-z0-9-]*}/:id/:file", answer);
  app.get("/v3/:hive{registration[a-z0-9-]*}/:id/page/:lower/:file", answer);
}

/** The document of a request that may read the id; undefined when the feed has no such document. */
export async function storedAnswer(
  c: Context,
  ports: NuGetPorts,
  kind: DocumentKind,
): Promise<Response | undefined> {
  const { stale, variant }: IdState = (await reviseOf(ports, kind)) ?? {};
  const document = await findDocument(c, ports, { kind, variant });
  return (
    document && sendDocument(c, document, stale ? staleOptions(stale) : STORED_DOCUMENT_OPTIONS)
  );
}

/** The document of a package source that a rendering is made from. */
export function sourceDocumentOf({ type }: DocumentKind): UpstreamDocument {
  return type === "versions" || type === "completion" ? "versions" : "registration";
}

async function reviseOf(
  { upstream }: Pick<NuGetPorts, "upstream">,
  kind: DocumentKind,
): Promise<IdState | undefined> {
  return upstream.revise(kind.id, sourceDocumentOf(kind));
}

/** Headers of a document that its source may have changed by now. */
function staleOptions({ source, since }: StaleAnswer): DocumentOptions {
  return {
    ...STORED_DOCUMENT_OPTIONS,
    headers: {
      warning: '110 - "Response is Stale"',
      "x-sealhouse-stale": `${source}; since=${since.toISOString()}`,
    },
  };
}

async function findDocument(
  c: Context,
  ports: NuGetPorts,
  { kind, variant }: { readonly kind: DocumentKind; readonly variant: string | undefined },
): Promise<StoredDocument | undefined> {
  const { base, cacheable } = ports.address(c.req.raw, c.env);
  const isCurrent = async () => (await reviseOf(ports, kind))?.variant === variant;
  if (cacheable) {
    const address = {
      key: documentKey(kind, base, variant),
      group: documentGroup(kind.id),
      contentType: JSON_TYPE,
    };
    const stored = await documentOf(ports.documents, address, async () => {
      const rendered = await render(ports, kind, base);
      // A document of a variant that has just changed is not stored.
      return rendered?.isKept === true && (await isCurrent()) ? rendered.content : undefined;
    });
    if (stored) return stored;
    // Otherwise only a page of an older index can exist and not be kept.
    if (kind.type !== "registration-page" && (await isCurrent())) return undefined;
  }
  const rendered = await render(ports, kind, base);
  return rendered && renderDocument(rendered.content, { contentType: JSON_TYPE });
}

/** Reads in full only what the document describes: a package may have thousands of versions. */
async function render(
  ports: Pick<NuGetPorts, "lookup" | "advisories">,
  kind: DocumentKind,
  base: string,
): Promise<Rendered | undefined> {
  const { lookup } = ports;
  const { id } = kind;
  switch (kind.type) {
    case "versions":
      return renderKept(versionsDocument(await lookup.summaries(id, { onlyNumbers: true })));
    case "completion":
      return renderKept(completionDocument(await lookup.summaries(id), kind));
    case "registration":
      return renderKept(await renderIndex(ports, kind, base));
    case "registration-leaf": {
      const version = parsePackageVersion(kind.version);
      const records = version ? await lookup.versions(id, [kind.version]) : [];
      if (!version || records.length === 0) return undefined;
      const advisories = await advisoriesOf(ports, id);
      return renderKept(registrationLeaf({ base, hive: kind.hive, records, advisories }, version));
    }
    case "registration-page":
      return renderPage(ports, kind, base);
  }
}

type KindOf<T extends DocumentKind["type"]> = Extract<DocumentKind, { readonly type: T }>;

async function renderIndex(
  ports: Pick<NuGetPorts, "lookup" | "advisories">,
  { id, hive }: KindOf<"registration">,
  base: string,
): Promise<object | undefined> {
  const summaries = await describedSummaries(ports, id);
  if (summaries.length === 0) return undefined;
  const outline = registrationOutline({ base, hive, records: summaries });
  if (outline) return outline;
  const records = await ports.lookup.versions(id);
  const advisories = await advisoriesOf(ports, id);
  return registrationIndex({ base, hive, records, advisories });
}

async function renderPage(
  ports: Pick<NuGetPorts, "lookup" | "advisories">,
  { id, hive, ...bounds }: KindOf<"registration-page">,
  base: string,
): Promise<Rendered | undefined> {
  const [lower, upper] = [parsePackageVersion(bounds.lower), parsePackageVersion(bounds.upper)];
  if (!lower || !upper) return undefined;
  const summaries = await describedSummaries(ports, id);
  const page = versionsOfPage({ hive, records: summaries }, { lower, upper });
  if (!page) return undefined;
  const records = await ports.lookup.versions(id, page.versions);
  const advisories = await advisoriesOf(ports, id);
  const document = registrationPage({ base, hive, records, advisories });
  return document && { content: JSON.stringify(document), isKept: page.isCurrent };
}

/** The versions that have a record. */
async function describedSummaries(
  { lookup }: Pick<NuGetPorts, "lookup">,
  id: string,
): Promise<readonly VersionSummary[]> {
  return (await lookup.summaries(id)).filter(({ isLost }) => isLost !== true);
}

async function advisoriesOf(
  { advisories }: Pick<NuGetPorts, "advisories">,
  id: string,
): Promise<readonly Advisory[]> {
  return (await advisories.of([id])).get(id) ?? [];
}

function renderKept(document: object | undefined): Rendered | undefined {
  return document && { content: JSON.stringify(document), isKept: true };
}
