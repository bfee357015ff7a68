import { renderDocument, sendDocument } from "@sealhouse/http-responses";
import type { Context, Hono } from "hono";
import { portsForRead, requireAccess, requireList } from "../require-access.ts";
import { isPackageId, lowerId } from "../notation/package-id.ts";
import type { NuGetPorts } from "../ports.ts";
import { dependentsDocument, searchDocument } from "../search/document.ts";
import { parseCompletionQuery, parsePage, parseSearchQuery } from "../search/parameters.ts";
import { JSON_TYPE, STORED_DOCUMENT_OPTIONS, storedAnswer } from "./documents.ts";

/** Search and autocomplete. */
export function mountQueries(app: Hono, ports: NuGetPorts): void {
  app.get("/v3/search", async (c) => {
    const limit = await requireList(ports, c);
    const query = { ...parseSearchQuery(parametersOf(c)), ...limit };
    const result = await ports.search.search(query);
    const ids = result.hits.map((hit) => lowerId(hit.id));
    const advisories = await ports.advisories.of(ids);
    const { base } = ports.address(c.req.raw, c.env);
    return sendAnswer(c, searchDocument(base, query, { ...result, advisories }));
  });

  app.get("/v3/autocomplete", async (c) => {
    const parameters = parametersOf(c);
    const id = parameters.get("id") ?? "";
    const query = parseCompletionQuery(parameters);
    if (id === "") {
      const limit = await requireList(ports, c);
      const { totalHits, ids } = await ports.search.idsStartingWith({ ...query, ...limit });
      return sendAnswer(c, { totalHits, data: ids });
    }
    if (!isPackageId(id)) {
      await requireAccess(ports, c, { action: "read" });
      return sendAnswer(c, { totalHits: 0, data: [] });
    }
    const { prerelease, semVer2 } = query;
    const kind = { type: "completion", id: lowerId(id), prerelease, semVer2 } as const;
    const answer = await storedAnswer(c, await portsForRead(ports, c, kind.id), kind);
    return answer ?? sendAnswer(c, { totalHits: 0, data: [] });
  });

  app.get("/v3/dependents", async (c) => {
    const parameters = parametersOf(c);
    const id = parameters.get("packageId") ?? "";
    if (!isPackageId(id)) {
      await requireAccess(ports, c, { action: "read" });
      return sendAnswer(c, dependentsDocument({ totalHits: 0, packages: [] }));
    }
    // Packages may need an id that no package has, so they are listed for a hidden one as well.
    await portsForRead(ports, c, lowerId(id));
    const page = { ...parsePage(parameters), ...(await requireList(ports, c)) };
    const result = await ports.search.dependents(lowerId(id), page);
    return sendAnswer(c, dependentsDocument(result));
  });
}

function parametersOf(c: Context): URLSearchParams {
  return new URL(c.req.url).searchParams;
}

/** Compressing costs more than it saves for what is rendered for one reader. */
async function sendAnswer(c: Context, answer: object): Promise<Response> {
  const document = await renderDocument(JSON.stringify(answer), {
    contentType: JSON_TYPE,
    compress: false,
  });
  return sendDocument(c, document, STORED_DOCUMENT_OPTIONS);
}
