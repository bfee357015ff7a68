import { sendBytes } from "@sealhouse/http-responses";
import type { PackageName } from "../package-name.ts";
import { basenameOf } from "../package-name.ts";
import type { PackageVersion } from "../package-version.ts";
import { parsePackageVersion } from "../package-version.ts";
import type { NamedBlob } from "../ports.ts";
import type { Call } from "./call.ts";
import { admit, notFound } from "./call.ts";

/** `GET /{package}/-/{file}.tgz`: the bytes as they were published, for ever the same. */
export async function readTarball(
  call: Call,
  name: PackageName,
  rest: readonly string[],
): Promise<Response> {
  const { c, ports, settings } = call;
  await admit(call, { action: "read", name });
  const version = versionOfFile(name, rest);
  const blob = version && (await ports.lookup.tarball(name, version));
  if (!version || !blob) throw notFound();

  const isCounted = isDownload(call, blob.sha256);
  const elsewhere = isKnown(call, blob.sha256) ? undefined : await addressOf(call, blob);
  const response =
    elsewhere ??
    (await sendBytes(c, ports.content.open(blob), {
      contentType: "application/octet-stream",
      etag: blob.sha256,
      cacheControl: `${settings.anonymousRead ? "public" : "private"}, immutable, max-age=31536000`,
    }));
  if (isCounted) ports.count("pull", { name, version });
  return response;
}

/** All clients follow, and none sends its token along to another host name. The address expires, so
 * nobody may keep the answer. */
async function addressOf({ c, ports }: Call, blob: NamedBlob): Promise<Response | undefined> {
  if (c.req.method !== "GET") return undefined;
  const address = await ports.content.address(blob);
  if (address === undefined) return undefined;
  c.header("cache-control", "no-store");
  return c.redirect(address, 302);
}

/** The file is `{name without scope}-{version}.tgz`. Some old clients repeat the scope before it,
 * as does what npm sends for `dist.tarball`. */
function versionOfFile(name: PackageName, rest: readonly string[]): PackageVersion | undefined {
  const scope = name.slice(0, name.indexOf("/") + 1);
  const path = rest.slice(1).join("/");
  const file = scope !== "" && path.startsWith(scope) ? path.slice(scope.length) : path;
  const prefix = `${basenameOf(name)}-`;
  if (!file.startsWith(prefix) || !file.endsWith(".tgz")) return undefined;
  return parsePackageVersion(file.slice(prefix.length, -".tgz".length));
}

/** A download counts once: not the question whether it is there, nor its later parts. */
function isDownload(call: Call, etag: string): boolean {
  const range = call.c.req.header("range");
  const isFirst = range === undefined || range.startsWith("bytes=0-");
  return call.c.req.method === "GET" && !isKnown(call, etag) && isFirst;
}

function isKnown({ c }: Call, etag: string): boolean {
  return c.req.header("if-none-match")?.includes(etag) ?? false;
}
