import { documentOf, renderDocument, sendDocument } from "@sealhouse/http-responses";
import type { Hono } from "hono";
import type { AdvisoryPage } from "../advisories/ports.ts";
import {
  VULNERABILITY_GROUP,
  vulnerabilityIndex,
  vulnerabilityPage,
  vulnerabilityPageKey,
} from "../advisories/vulnerability-documents.ts";
import { requireAccess } from "../require-access.ts";
import { NuGetError } from "../errors.ts";
import type { NuGetPorts } from "../ports.ts";
import { JSON_TYPE, STORED_DOCUMENT_OPTIONS } from "./documents.ts";

const PAGES: Readonly<Record<string, AdvisoryPage>> = {
  "base.json": "base",
  "update.json": "update",
};

/**
 * Documents that NuGetAudit requests in every restore: a small index, and two pages that are
 * rendered once per import and contain no link of ours. Absent without any data.
 */
export function mountVulnerabilities(app: Hono, ports: NuGetPorts): void {
  app.get("/v3/vulnerabilities/index.json", async (c) => {
    await requireAccess(ports, c, { action: "read" });
    const state = await ports.advisories.state();
    if (!state) throw new NuGetError("not-found");
    const { base } = ports.address(c.req.raw, c.env);
    const document = await renderDocument(JSON.stringify(vulnerabilityIndex(base, state)), {
      contentType: JSON_TYPE,
      compress: false,
      now: () => state.updatedAt,
    });
    return sendDocument(c, document, STORED_DOCUMENT_OPTIONS);
  });

  app.get("/v3/vulnerabilities/:file", async (c) => {
    await requireAccess(ports, c, { action: "read" });
    const file = c.req.param("file").toLowerCase();
    const page = Object.hasOwn(PAGES, file) ? PAGES[file] : undefined;
    const document =
      page &&
      (await documentOf(
        ports.documents,
        {
          key: vulnerabilityPageKey(page, await ports.advisories.variant()),
          group: VULNERABILITY_GROUP,
          contentType: JSON_TYPE,
        },
        async () =>
          (await ports.advisories.state()) && vulnerabilityPage(await ports.advisories.page(page)),
      ));
    if (!document) throw new NuGetError("not-found");
    return sendDocument(c, document, STORED_DOCUMENT_OPTIONS);
  });
}
