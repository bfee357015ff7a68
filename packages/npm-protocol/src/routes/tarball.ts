import type { BytesOptions } from "@sealhouse/http-responses";
import { redirectDownload, sendBytes } from "@sealhouse/http-responses";
import type { PackageName } from "../package-name.ts";
import { basenameOf } from "../package-name.ts";
import type { NamedBlob } from "../npm-version.ts";
import type { PackageVersion } from "../package-version.ts";
import { parsePackageVersion } from "../package-version.ts";
import type { Call } from "./call.ts";
import { authorizeRead, notFound } from "./call.ts";

/** `GET /{package}/-/{file}.tgz`: the published bytes, which never change. */
export async function readTarball(
  call: Call,
  name: PackageName,
  rest: readonly string[],
): Promise<Response> {
  const { ports } = call;
  const readCall = await authorizeRead(call, name);
  const version = versionOfFile(name, rest);
  const blob = version && (await ports.lookup.tarball(name, version));
  if (!version) throw notFound();
  if (!blob) return readFromSource(readCall, { name, version });
  return sendStored(readCall, { name, version }, blob);
}

/** Sends a tarball while it comes from a package source. */
async function readFromSource(call: Call, address: TarballAddress): Promise<Response> {
  const { c, ports, settings } = call;
  const { name, version } = address;
  const found = await ports.upstream.tarball(name, version);
  if (!found) throw notFound();
  if (found.status === "kept") {
    const blob = await ports.lookup.tarball(name, version);
    if (!blob) throw notFound();
    return sendStored(call, address, blob);
  }
  const isCounted = c.req.method === "GET" && c.req.header("range") === undefined;
  const options = tarballOptions(found.etag, settings.anonymousRead);
  const response = await sendBytes(c, found.content, options);
  if (isCounted) ports.count("pull", { name, version });
  return response;
}

async function sendStored(
  call: Call,
  { name, version }: TarballAddress,
  blob: NamedBlob,
): Promise<Response> {
  const { c, ports, settings } = call;
  const { method } = c.req;
  const request = {
    method,
    range: c.req.header("range"),
    ifNoneMatch: c.req.header("if-none-match"),
  };
  const isCounted = isDownload(request, blob.sha256);
  // All clients follow it, and none sends its token to another host name.
  const elsewhere = await redirectDownload(c, {
    etag: blob.sha256,
    status: 302,
    address: () => ports.content.address(blob),
  });
  const options = tarballOptions(blob.sha256, settings.anonymousRead);
  const response = elsewhere ?? (await sendBytes(c, ports.content.open(blob), options));
  if (isCounted) ports.count("pull", { name, version });
  return response;
}

/** Package and version of a tarball's address. */
export type TarballAddress = { readonly name: PackageName; readonly version: PackageVersion };

/** How a tarball is sent: by the host or by a redirect. */
export function tarballOptions(sha256: string, anonymousRead: boolean): BytesOptions {
  return {
    contentType: "application/octet-stream",
    etag: sha256,
    cacheControl: `${anonymousRead ? "public" : "private"}, immutable, max-age=31536000`,
  };
}

/** Properties of a request that decide whether it counts as a download. */
export type TarballRequest = {
  readonly method: string | undefined;
  readonly range: string | undefined;
  readonly ifNoneMatch: string | undefined;
};

/** A download counts once: not the question whether it is there, nor its later parts. */
export function isDownload(request: TarballRequest, etag: string): boolean {
  const { method, range } = request;
  const isFirst = range === undefined || range.startsWith("bytes=0-");
  return method === "GET" && !isKnown(request, etag) && isFirst;
}

function isKnown({ ifNoneMatch }: TarballRequest, etag: string): boolean {
  return ifNoneMatch?.includes(etag) ?? false;
}

/** The file is `{name without scope}-{version}.tgz`. Some old clients repeat the scope before it,
 * as does what npm sends for `dist.tarball`. */
export function versionOfFile(
  name: PackageName,
  rest: readonly string[],
): PackageVersion | undefined {
  const scope = name.slice(0, name.indexOf("/") + 1);
  const path = rest.slice(1).join("/");
  const file = scope !== "" && path.startsWith(scope) ? path.slice(scope.length) : path;
  const prefix = `${basenameOf(name)}-`;
  if (!file.startsWith(prefix) || !file.endsWith(".tgz")) return undefined;
  return parsePackageVersion(file.slice(prefix.length, -".tgz".length));
}
