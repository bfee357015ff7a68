import { renderDocument, sendDocument } from "@sealhouse/http-responses";
import type { Hono } from "hono";
import { portsForRead } from "../require-access.ts";
import { NuGetError } from "../errors.ts";
import { isPackageId, lowerId } from "../notation/package-id.ts";
import { lowerVersion } from "../notation/package-version.ts";
import type { NuGetPorts } from "../ports.ts";
import { provenanceDocument } from "../provenance/document.ts";
import { JSON_TYPE, STORED_DOCUMENT_OPTIONS } from "./documents.ts";

/** The files of a version over time, to verify a statement about one of them. */
export function mountProvenance(
  app: Hono,
  allPorts: NuGetPorts,
  options: { readonly signingEnabled: boolean },
): void {
  app.get("/v3/package/:id/:version/provenance.json", async (c) => {
    const { id, version } = c.req.param();
    const ports = await portsForRead(allPorts, c, isPackageId(id) ? lowerId(id) : undefined);
    const normal = lowerVersion(version);
    const isName = isPackageId(id) && normal !== undefined;
    const provenance = isName ? await ports.provenance.find(lowerId(id), normal) : undefined;
    if (!provenance) throw new NuGetError("not-found");
    const { base } = ports.address(c.req.raw, c.env);
    const content = JSON.stringify(provenanceDocument(base, provenance, options), undefined, 2);
    const document = await renderDocument(content, { contentType: JSON_TYPE });
    return sendDocument(c, document, STORED_DOCUMENT_OPTIONS);
  });
}
