import { createHash } from "node:crypto";
import { ServerResponse } from "node:http";
import { sendBytes } from "@sealhouse/http-responses";
import type { Context, Hono } from "hono";
import { demand } from "../demand.ts";
import { NuGetError } from "../errors.ts";
import { isPackageId, lowerId } from "../package-id.ts";
import { lowerVersion } from "../package-version.ts";
import type { NuGetPorts, StoredPackage } from "../ports.ts";

/** Not `immutable`: a new certificate gives the same version other bytes. */
const CACHE_CONTROL = "private, max-age=600";

/** The package itself and its manifest, under names in any casing and spelling. */
export function mountContent(app: Hono, ports: NuGetPorts): void {
  app.get("/v3/package/:id/:version/:file", async (c) => {
    const { id, version, file } = c.req.param();
    await demand(ports, c, { action: "read", ...(isPackageId(id) && { name: lowerId(id) }) });
    const normal = lowerVersion(version);
    const kind = normal === undefined ? undefined : fileKind(file, lowerId(id), normal);
    if (normal === undefined || kind === undefined || !isPackageId(id)) throw notFound();
    const found = await ports.lookup.find(lowerId(id), normal);
    if (!found) throw notFound();
    return kind === "nuspec" ? sendNuspec(c, found) : sendPackage(c, ports, found);
  });
}

function fileKind(file: string, id: string, version: string): "nupkg" | "nuspec" | undefined {
  const name = file.toLowerCase();
  if (name === `${id}.nuspec`) return "nuspec";
  if (!name.startsWith(`${id}.`) || !name.endsWith(".nupkg")) return undefined;
  const named = name.slice(id.length + 1, -".nupkg".length);
  return lowerVersion(named) === version ? "nupkg" : undefined;
}

async function sendNuspec(c: Context, { nuspec }: StoredPackage): Promise<Response> {
  return sendBytes(c, bytesOf(nuspec), {
    contentType: "application/xml",
    etag: createHash("sha256").update(nuspec).digest("hex"),
    cacheControl: CACHE_CONTROL,
  });
}

async function sendPackage(c: Context, ports: NuGetPorts, found: StoredPackage): Promise<Response> {
  const served = await ports.content.open(found);
  const [id, version] = [found.id.toLowerCase(), found.version.toLowerCase()];
  const response = await sendBytes(c, served, {
    contentType: "application/octet-stream",
    etag: served.etag,
    cacheControl: CACHE_CONTROL,
    headers: { "content-disposition": `attachment; filename="${id}.${version}.nupkg"` },
  });
  if (isPull(c, response)) ports.count("pull", { id, version });
  return response;
}

/** A whole package, or the beginning of one, that went out to its end. */
function isPull(c: Context, response: Response): boolean {
  if (c.req.method !== "GET") return false;
  const outgoing = outgoingOf(c);
  if (outgoing && !outgoing.writableEnded) return false;
  const status = outgoing?.statusCode ?? response.status;
  return status === 200 || (status === 206 && (c.req.header("range") ?? "").startsWith("bytes=0-"));
}

/** Below a Node server the answer is written there, and Hono's response says nothing about it. */
function outgoingOf(c: Context): ServerResponse | undefined {
  const env: unknown = c.env;
  if (typeof env !== "object" || env === null || !("outgoing" in env)) return undefined;
  return env.outgoing instanceof ServerResponse ? env.outgoing : undefined;
}

function bytesOf(bytes: Uint8Array) {
  return {
    size: bytes.length,
    async *read(range = { start: 0, end: bytes.length - 1 }) {
      yield bytes.subarray(range.start, range.end + 1);
    },
  };
}

function notFound(): NuGetError {
  return new NuGetError("not-found");
}
