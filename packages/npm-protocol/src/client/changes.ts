import type { CallOptions } from "@sealhouse/http-responses/outgoing";
import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import type { Addresses } from "./addresses.ts";
import { malformed } from "./client-error.ts";
import { textsIn } from "./packument-document.ts";
import type { Reader } from "./reader.ts";
import { jsonBody } from "./reader.ts";
import type { ChangeOutcome, SendParts } from "./send.ts";
import { send, sendAgain } from "./send.ts";

export type ChangeParts = SendParts & {
  readonly reader: Reader;
  readonly addresses: Addresses;
  readonly documentTimeoutMs: number;
};

export async function setDistTag(
  parts: ChangeParts,
  distTag: { readonly name: string; readonly tag: string; readonly version: string },
  { signal }: CallOptions,
): Promise<ChangeOutcome> {
  const { name, tag, version } = distTag;
  const url = parts.addresses.distTags(name, tag);
  return sendAgain(parts, { ...small(parts), method: "PUT", url, signal, ...jsonBody(version) });
}

export async function removeDistTag(
  parts: ChangeParts,
  { name, tag }: { readonly name: string; readonly tag: string },
  { signal }: CallOptions,
): Promise<ChangeOutcome> {
  const url = parts.addresses.distTags(name, tag);
  return send(parts, { ...small(parts), method: "DELETE", url, signal });
}

/**
 * Sets or removes the text of each version. The protocol sends the whole packument, so a concurrent
 * change may be lost where the registry does not compare revisions.
 */
export async function deprecate(
  parts: ChangeParts,
  { name, texts }: { readonly name: string; readonly texts: ReadonlyMap<string, string> },
  { signal }: CallOptions,
): Promise<ChangeOutcome> {
  const packument = await packumentToChange(parts, name, signal);
  if (!packument) return { status: "absent" };
  const { versions } = packument;
  const changed = Object.entries(versions).map(([version, manifest]) => {
    const text = texts.get(version);
    return [version, text === undefined ? manifest : { ...manifest, deprecated: text }];
  });
  if (![...texts.keys()].some((version) => versions[version])) return { status: "absent" };
  const { _attachments: _, ...document } = packument.document;
  const body = { ...document, versions: Object.fromEntries(changed) };
  const url = parts.addresses.package(name);
  return send(parts, { ...small(parts), method: "PUT", url, signal, ...jsonBody(body) });
}

/** Takes versions away, or the whole package. Their numbers are not given back. */
export async function unpublish(
  parts: ChangeParts,
  { name, versions }: { readonly name: string; readonly versions: readonly string[] | "all" },
  { signal }: CallOptions,
): Promise<ChangeOutcome> {
  const packument = await packumentToChange(parts, name, signal);
  if (!packument) return { status: "absent" };
  const leaving = new Set(versions === "all" ? Object.keys(packument.versions) : versions);
  const staying = Object.entries(packument.versions).filter(([version]) => !leaving.has(version));
  if (staying.length === Object.keys(packument.versions).length) return { status: "absent" };
  const url = revisionUrl(parts.addresses.package(name), packument.document);
  if (staying.length === 0) {
    return send(parts, { ...small(parts), method: "DELETE", url, signal });
  }
  const tags = [...textsIn(packument.document["dist-tags"])].filter(([, to]) => !leaving.has(to));
  const { _attachments: _, ...document } = packument.document;
  const body = {
    ...document,
    "dist-tags": Object.fromEntries(tags),
    versions: Object.fromEntries(staying),
  };
  const sent = await send(parts, {
    ...small(parts),
    method: "PUT",
    url,
    signal,
    ...jsonBody(body),
  });
  if (sent.status !== "changed") return sent;
  return removeTarballs(parts, { name, leaving: [...leaving] }, { signal });
}

/** The second half, for registries that keep the file until then. Here it changes nothing. */
async function removeTarballs(
  parts: ChangeParts,
  { name, leaving }: { readonly name: string; readonly leaving: readonly string[] },
  { signal }: CallOptions,
): Promise<ChangeOutcome> {
  for (const version of leaving) {
    const packument = await packumentToChange(parts, name, signal);
    if (!packument) break;
    const file = `${name.slice(name.indexOf("/") + 1)}-${version}.tgz`;
    const tarball = parts.addresses.tarball(name, file);
    const url = revisionUrl(tarball, packument.document);
    const sent = await send(parts, { ...small(parts), method: "DELETE", url, signal });
    if (sent.status !== "changed" && sent.status !== "absent") return sent;
  }
  return { status: "changed" };
}

type ToChange = {
  readonly document: JsonObject;
  readonly versions: Readonly<Record<string, JsonObject>>;
};

/** The current document; bypasses caches on the way. */
async function packumentToChange(
  { reader, addresses }: ChangeParts,
  name: string,
  signal: AbortSignal | undefined,
): Promise<ToChange | undefined> {
  const url = addresses.package(name);
  url.searchParams.set("write", "true");
  const document = await reader.object(url, { signal });
  if (!document) return undefined;
  const { versions } = document;
  if (document["name"] !== name || !isObject(versions)) {
    throw malformed(url, `the answer is not a packument of ${name}`);
  }
  const entries = Object.entries(versions).filter((entry): entry is [string, JsonObject] =>
    isObject(entry[1]),
  );
  return { document, versions: Object.fromEntries(entries) };
}

function revisionUrl(url: URL, { _rev: revision }: JsonObject): URL {
  if (typeof revision !== "string" || revision === "") {
    throw malformed(url, "the packument has no _rev, which every deletion needs");
  }
  return new URL(`${url.href}/-rev/${encodeURIComponent(revision)}`);
}

function small({ documentTimeoutMs: timeoutMs }: ChangeParts): { readonly timeoutMs: number } {
  return { timeoutMs };
}
