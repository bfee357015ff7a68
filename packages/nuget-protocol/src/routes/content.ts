import { createHash } from "node:crypto";
import { ServerResponse } from "node:http";
import type { ByteRange } from "@sealhouse/http-responses";
import { redirectDownload, sendBytes } from "@sealhouse/http-responses";
import type { Context, Hono } from "hono";
import { portsForRead } from "../require-access.ts";
import type { ViewPorts } from "../hidden-ids.ts";
import type { EmbeddedKind } from "../content/embedded-file.ts";
import { NuGetError } from "../errors.ts";
import { isPackageId, lowerId } from "../notation/package-id.ts";
import { lowerVersion } from "../notation/package-version.ts";
import type { NuGetPorts, ServedPackage } from "../ports.ts";
import type { StoredPackage } from "../stored-package.ts";
import type { RecentFile, RecentFiles } from "../content/recent-files.ts";
import { createRecentFiles } from "../content/recent-files.ts";
import { sendSymbolPackage } from "./symbols.ts";

/** Not `immutable`: a new certificate gives the same version other bytes. */
const CACHE_CONTROL = "private, max-age=600";
/** Enough for the icons of many search pages. */
const RECENT_BYTES_MAX = 16 * 1024 * 1024;
/** Authors wrote these files, and this address may be the one people are logged in at. */
const UNTRUSTED = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'",
} as const;

type FileKind = "nupkg" | "snupkg" | "nuspec" | EmbeddedKind;

/** Where clients of the older protocol download. */
const V2_DOWNLOAD = "/api/v2/package/:id/:version";
/** Requests of administrators at the same address. */
const ADMINISTRATION = new Set(["tombstones", "deprecations"]);

/** The package itself, its manifest and what lies in it for people, under names in any casing and
 * spelling. */
export function mountContent(
  app: Hono,
  allPorts: ViewPorts,
  recent: RecentFiles = createContentMemory(),
): void {
  app.get("/v3/package/:id/:version/:file", async (c) => {
    const { id, version, file } = c.req.param();
    const ports = await portsForRead(allPorts, c, isPackageId(id) ? lowerId(id) : undefined);
    const normal = lowerVersion(version);
    const kind = normal === undefined ? undefined : fileKind(file, lowerId(id), normal);
    if (normal === undefined || kind === undefined || !isPackageId(id)) throw notFound();
    const names = { id: lowerId(id), version: normal };
    if (kind === "snupkg") return sendSymbolPackage(c, ports, names);
    const storedPackage = await ports.lookup.find(names.id, names.version);
    if (kind === "nupkg") return sendFound(c, ports, names, storedPackage);
    if (kind === "nuspec") {
      const nuspec = storedPackage?.nuspec ?? (await ports.upstream.nuspec(names.id, normal));
      return sendNuspec(c, names.id, nuspec);
    }
    const embedded = storedPackage
      ? await embeddedFile(ports, recent, storedPackage, kind)
      : await embeddedAtSource(ports, recent, names, kind);
    return sendEmbedded(c, embedded, kind);
  });
  app.get(V2_DOWNLOAD, async (c, next) => {
    const { id, version } = c.req.param();
    if (ADMINISTRATION.has(version)) return next();
    const normal = lowerVersion(version);
    if (normal === undefined || !isPackageId(id)) throw notFound();
    const ports = await portsForRead(allPorts, c, lowerId(id));
    const storedPackage = await ports.lookup.find(lowerId(id), normal);
    return sendFound(c, ports, { id: lowerId(id), version: normal }, storedPackage);
  });
}

type Names = { readonly id: string; readonly version: string };

/** Sends a stored package; without one, the package of a source. */
async function sendFound(
  c: Context,
  ports: NuGetPorts,
  names: Names,
  storedPackage: StoredPackage | undefined,
): Promise<Response> {
  if (storedPackage) return sendPackage(c, ports, storedPackage);
  const found = await ports.upstream.package(names.id, names.version);
  if (found?.status === "arriving")
    return sendFile(c, ports, names, { ...found.content, etag: found.etag });
  const keptPackage = found && (await ports.lookup.find(names.id, names.version));
  if (!keptPackage) throw notFound();
  return sendPackage(c, ports, keptPackage);
}

/** A source has readmes apart; the other files are in its packages. */
async function embeddedAtSource(
  ports: Pick<NuGetPorts, "files" | "lookup" | "upstream">,
  recent: RecentFiles,
  { id, version }: Names,
  kind: EmbeddedKind,
): Promise<RecentFile | undefined> {
  const readme = kind === "readme" ? await ports.upstream.readme(id, version) : undefined;
  if (readme) {
    const etag = createHash("sha256").update(readme).digest("hex");
    return { bytes: readme, contentType: "text/markdown; charset=utf-8", etag };
  }
  const found = await ports.upstream.package(id, version);
  // It is stored when it has arrived.
  if (found?.status === "arriving") for await (const _ of found.content.read());
  const keptPackage = found && (await ports.lookup.find(id, version));
  if (!keptPackage) throw notFound();
  return embeddedFile(ports, recent, keptPackage, kind);
}

/** Remembers embedded files, for several apps over the same store. */
export function createContentMemory(): RecentFiles {
  return createRecentFiles(RECENT_BYTES_MAX);
}

/** Endings of `{id}.{version}.{ending}`; the manifest has that name in storage folders of BaGet. */
const FILES_OF_VERSION = ["snupkg", "nupkg", "nuspec"] as const;

function fileKind(file: string, id: string, version: string): FileKind | undefined {
  const name = file.toLowerCase();
  if (name === "readme" || name === "icon" || name === "license") return name;
  if (name === `${id}.nuspec`) return "nuspec";
  const kind = FILES_OF_VERSION.find((ending) => name.endsWith(`.${ending}`));
  if (kind === undefined || !name.startsWith(`${id}.`)) return undefined;
  const versionText = name.slice(id.length + 1, -`.${kind}`.length);
  return lowerVersion(versionText) === version ? kind : undefined;
}

async function sendNuspec(
  c: Context,
  id: string,
  nuspec: Uint8Array | undefined,
): Promise<Response> {
  if (!nuspec) throw notFound();
  return sendBytes(c, bytesOf(nuspec), {
    contentType: "application/xml",
    etag: createHash("sha256").update(nuspec).digest("hex"),
    cacheControl: CACHE_CONTROL,
    headers: { ...UNTRUSTED, ...attachment(`${id}.nuspec`) },
  });
}

/** Bytes under one key never change, so neither do the files in them. */
async function embeddedFile(
  { files }: Pick<NuGetPorts, "files">,
  recent: RecentFiles,
  { blob, nuspec }: StoredPackage,
  kind: EmbeddedKind,
): Promise<RecentFile | undefined> {
  return recent(`${kind} ${blob.key}`, async () => {
    // Large, and a restore needs none of it.
    const { readEmbeddedFile } = await import("../content/embedded-file.ts");
    const source = { size: blob.size, read: (range?: ByteRange) => files.read(blob.key, range) };
    const file = await readEmbeddedFile(source, nuspec, kind);
    return file && { ...file, etag: createHash("sha256").update(file.bytes).digest("hex") };
  });
}

async function sendEmbedded(
  c: Context,
  file: RecentFile | undefined,
  kind: EmbeddedKind,
): Promise<Response> {
  if (!file) {
    throw new NuGetError("not-found", { problems: [`This version has no ${kind} file.`] });
  }
  return sendBytes(c, bytesOf(file.bytes), {
    contentType: file.contentType,
    etag: file.etag,
    cacheControl: CACHE_CONTROL,
    headers: UNTRUSTED,
  });
}

async function sendPackage(
  c: Context,
  ports: NuGetPorts,
  storedPackage: StoredPackage,
): Promise<Response> {
  const served = await ports.content.open(
    storedPackage,
    storedPackage.seal ? undefined : requestOver(c),
  );
  const [id, version] = [storedPackage.id.toLowerCase(), storedPackage.version.toLowerCase()];
  const isWhole = c.req.header("range") === undefined;
  const address = () => (isWhole ? served.address?.() : undefined);
  const elsewhere = await redirectDownload(c, { etag: served.etag, status: 302, address });
  if (elsewhere) {
    ports.count("pull", { id, version });
    return elsewhere;
  }
  return sendFile(c, ports, { id, version }, served);
}

async function sendFile(
  c: Context,
  ports: Pick<NuGetPorts, "count">,
  { id, version }: Names,
  served: ServedPackage,
): Promise<Response> {
  const response = await sendBytes(c, served, {
    contentType: "application/octet-stream",
    etag: served.etag,
    cacheControl: CACHE_CONTROL,
    headers: attachment(`${id}.${version}.nupkg`),
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

/** Aborts when the client goes away; nothing on the way of packages that are signed already. */
function requestOver(c: Context): AbortSignal {
  const outgoing = outgoingOf(c);
  if (!outgoing) return c.req.raw.signal;
  const over = new AbortController();
  if (outgoing.closed) over.abort();
  outgoing.once("close", () => over.abort());
  return over.signal;
}

/** Below a Node server the answer is written there, and Hono's response says nothing about it. */
function outgoingOf(c: Context): ServerResponse | undefined {
  const env: unknown = c.env;
  if (typeof env !== "object" || env === null || !("outgoing" in env)) return undefined;
  return env.outgoing instanceof ServerResponse ? env.outgoing : undefined;
}

/** Ids and versions are ASCII without quotes, so RFC 6266 needs no second spelling of the name. */
function attachment(name: string): { readonly "content-disposition": string } {
  return { "content-disposition": `attachment; filename="${name}"` };
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
