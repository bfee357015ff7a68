import { renderDocument, sendBytes, sendDocument } from "@sealhouse/http-responses";
import type { Hono } from "hono";
import { NuGetError } from "../errors.ts";
import type { NuGetPorts } from "../ports.ts";
import { repositorySignatures } from "../repository-signatures.ts";
import { JSON_TYPE, STORED_DOCUMENT_OPTIONS } from "./documents.ts";

const FINGERPRINT = /^[0-9a-f]{64}$/;

/** Documents that a client needs to trust this feed's signatures; public. */
export function mountSignatures(app: Hono, ports: NuGetPorts): void {
  app.get("/v3/repository-signatures/index.json", async (c) => {
    const { base } = ports.address(c.req.raw, c.env);
    const certificates = await ports.certificates.all();
    const isComplete = await ports.certificates.allRepositorySigned();
    const content = JSON.stringify(repositorySignatures(base, certificates, isComplete));
    const document = await renderDocument(content, { contentType: JSON_TYPE });
    return sendDocument(c, document, STORED_DOCUMENT_OPTIONS);
  });

  app.get("/v3/certificates/:file", async (c) => {
    const fingerprint = c.req
      .param("file")
      .toLowerCase()
      .replace(/\.crt$/, "");
    const certificate = FINGERPRINT.test(fingerprint)
      ? await ports.certificates.find(fingerprint)
      : undefined;
    if (!certificate) throw new NuGetError("not-found");
    const { der } = certificate;
    const source = {
      size: der.length,
      async *read(range = { start: 0, end: der.length - 1 }) {
        yield der.subarray(range.start, range.end + 1);
      },
    };
    return sendBytes(c, source, {
      contentType: "application/x-x509-ca-cert",
      etag: fingerprint,
      cacheControl: "public, max-age=86400",
      headers: {
        "content-disposition": `attachment; filename="certificate-${fingerprint}.crt"`,
        // Bytes under one fingerprint never change.
        "last-modified": certificate.notBefore.toUTCString(),
      },
    });
  });
}
