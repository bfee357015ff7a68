import { documentOfPath, isWriteRead } from "../documents/document-address.ts";
import type { DocumentAddress } from "../documents/document-address.ts";
import { parseRequestPath, rawPathBelow } from "../request-path.ts";
import { versionOfFile } from "./tarball.ts";
import type { TarballAddress } from "./tarball.ts";

/** A `GET` that may be answered without routing. */
export type ReadOfRequest =
  | { readonly type: "document"; readonly document: DocumentAddress }
  | { readonly type: "tarball"; readonly tarball: TarballAddress }
  | { readonly type: "ping" };

/**
 * Which kept document or tarball answers a `GET`, if one can: a pure function, so that a host may
 * answer before it routes (after checking that the caller may read the name). Undefined for
 * everything else, also for what tools ask before they change something (`?write=true`, the
 * dist-tags), which the app answers with other headers.
 *
 * `url` is the whole address or at least its path, still percent-encoded, below `basePath`; `base`
 * the registry's address as the client reached it.
 */
export function readOfRequest(
  url: string,
  accept: string | undefined,
  registry: { readonly basePath: string; readonly base: string },
): ReadOfRequest | undefined {
  const path = parseRequestPath(rawPathBelow(url, registry.basePath) ?? "/");
  if (path.type === "endpoint") {
    return path.segments.join("/") === "ping" ? { type: "ping" } : undefined;
  }
  if (path.type !== "package") return undefined;
  const document = isWriteRead(url) ? undefined : documentOfPath(path, accept, registry.base);
  if (document) return { type: "document", document };
  const version = path.rest[0] === "-" ? versionOfFile(path.name, path.rest) : undefined;
  return version && { type: "tarball", tarball: { name: path.name, version } };
}
