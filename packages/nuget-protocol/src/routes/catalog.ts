import type { StoredDocument } from "@sealhouse/http-responses";
import { documentOf, renderDocument, sendDocument } from "@sealhouse/http-responses";
import type { Context, Hono } from "hono";
import {
  CATALOG_GROUP,
  catalogIndexKey,
  catalogLeafFile,
  commitTimeOf,
} from "../catalog/addresses.ts";
import { catalogIndex, catalogLeaf, catalogPage } from "../catalog/documents.ts";
import { requireAccess, requireList } from "../require-access.ts";
import { NuGetError } from "../errors.ts";
import { lowerId } from "../notation/package-id.ts";
import type { NuGetPorts } from "../ports.ts";
import type { IdLimit } from "../search/id-limit.ts";
import { isWithinLimit } from "../search/id-limit.ts";
import { JSON_TYPE, STORED_DOCUMENT_OPTIONS } from "./documents.ts";

/** More items than a catalog can have. */
const PAGE = /^page(\d{1,9})\.json$/;

/** The append-only catalog. The index is a stored document, which an append makes stale; pages and
 * leaves are rendered, because mirrors ask for each of them once. Its items are deletions where a
 * name is hidden, so only the patterns of a token limit it. They change with the visibility of the
 * name, so no document is immutable. */
export function mountCatalog(app: Hono, ports: NuGetPorts): void {
  app.get("/v3/catalog/index.json", async (c) => {
    await requireAccess(ports, c, { action: "read" });
    return sendDocument(c, await indexDocument(c, ports), STORED_DOCUMENT_OPTIONS);
  });

  app.get("/v3/catalog/:page", async (c) => {
    const limit = await requireNames(ports, c);
    const number = PAGE.exec(c.req.param("page"))?.[1];
    const { base } = ports.address(c.req.raw, c.env);
    const page =
      number === undefined
        ? undefined
        : await catalogPage(base, Number(number), ports.catalog, limit);
    if (!page) throw notFound();
    return sendRendered(c, page);
  });

  app.get("/v3/catalog/data/:commit/:file", async (c) => {
    const limit = await requireNames(ports, c);
    const time = commitTimeOf(c.req.param("commit"));
    const leaf = time && (await ports.catalog.find(time));
    if (!leaf?.id || catalogLeafFile(leaf) !== c.req.param("file").toLowerCase()) throw notFound();
    if (!isWithinLimit(limit, leaf.id)) throw notFound();
    // It tells as much of the package as the package itself. A deletion is for all that knew it.
    const isDeletion = leaf.type === "PackageDelete";
    if (!isDeletion) await requireAccess(ports, c, { action: "read", name: lowerId(leaf.id) });
    const { base } = ports.address(c.req.raw, c.env);
    const { commitAt } = leaf;
    return sendRendered(c, { document: catalogLeaf(base, leaf), commitAt });
  });
}

async function requireNames(ports: NuGetPorts, c: Context): Promise<Pick<IdLimit, "names">> {
  const { names } = await requireList(ports, c);
  return names ? { names } : {};
}

async function indexDocument(c: Context, ports: NuGetPorts): Promise<StoredDocument> {
  const { base, cacheable } = ports.address(c.req.raw, c.env);
  const render = async () => JSON.stringify(await catalogIndex(base, ports.catalog));
  const rendering = { contentType: JSON_TYPE };
  if (!cacheable) return renderDocument(await render(), rendering);
  const address = { ...rendering, key: catalogIndexKey(base), group: CATALOG_GROUP };
  const stored = await documentOf(ports.documents, address, render);
  return stored ?? renderDocument(await render(), rendering);
}

async function sendRendered(
  c: Context,
  { document, commitAt }: { readonly document: object; readonly commitAt: Date },
): Promise<Response> {
  const rendered = await renderDocument(JSON.stringify(document), {
    contentType: JSON_TYPE,
    now: () => commitAt,
  });
  return sendDocument(c, rendered, STORED_DOCUMENT_OPTIONS);
}

function notFound(): NuGetError {
  return new NuGetError("not-found", { problems: ["The catalog has no such document."] });
}
