import { absentThen, lostSince, missingView, readOnlyView } from "@sealhouse/http-responses";
import type { Call } from "../call.ts";
import type { Digest } from "../digest.ts";
import { isDigest } from "../digest.ts";
import { OciError } from "../errors.ts";
import { nameAt, nameFrom } from "../name-mapping.ts";
import type { ManifestCatalog, OciPorts } from "../ports.ts";
import type { RepositoryRoute } from "../route.ts";
import type { TagPast } from "./ports.ts";
import { parseViewName } from "./view-name.ts";

/** A request and its route, as of a time or not. */
export type RoutedCall = { readonly call: Call; readonly route: RepositoryRoute };

/**
 * Returns the request to a view with the name of the repository, the ports as of the time, and a
 * mapping that writes names in the form of the view. Returns other requests unchanged. Throws
 * `NAME_UNKNOWN` when there is no view, and `UNSUPPORTED` for changes.
 */
export async function viewedCall({ call, route }: RoutedCall): Promise<RoutedCall> {
  const { past } = call.registry.ports;
  if (!past) return { call, route };
  const view = parseViewName(nameAt(call.mapping, route.name));
  if (!view) return { call, route };
  const { time, prefix } = view;
  if (!time) throw unknownTime(prefix);
  const { method } = call.c.req;
  if (method !== "GET" && method !== "HEAD") throw readOnly(time);
  const missing = missingView(time, {
    now: new Date(call.registry.now()),
    beginning: await past.beginning(time),
  });
  if (missing !== undefined) throw new OciError("NAME_UNKNOWN", { message: missing });
  const { registry, mapping } = call;
  const ports = portsAsOf(registry.ports, past, time);
  return {
    call: { ...call, registry: { ...registry, ports }, mapping: { ...mapping, view: prefix } },
    route: { ...route, name: nameFrom(mapping, view.name) },
  };
}

/** Creates a lookup of manifests by digest, and by the tags of a time. */
export function findAsOf(
  manifests: Pick<ManifestCatalog, "find">,
  past: Pick<TagPast, "digest" | "deleted">,
  time: Date,
): ManifestCatalog["find"] {
  return async (repository, reference, options) => {
    const found = async (digest: Digest) =>
      (await manifests.find(repository, digest, options)) ?? past.deleted(repository, digest);
    if (isDigest(reference)) return found(reference);
    const digest = await past.digest(repository, reference, time);
    const what = `${repository}:${reference}`;
    if (digest === undefined) throw unknownManifest(absentThen(what, time));
    const manifest = await found(digest);
    if (!manifest) throw unknownManifest(lostSince(`${what} (${digest})`, { time }));
    return manifest;
  };
}

function portsAsOf(ports: OciPorts, past: TagPast, time: Date): OciPorts {
  const { manifests } = ports;
  const find = findAsOf(manifests, past, time);
  const tags: ManifestCatalog["tags"] = async (repository, page) => {
    const found = await past.tags(repository, time, page);
    if (found.length > 0 || page.after !== undefined) return found;
    throw new OciError("NAME_UNKNOWN", { message: absentThen(repository, time) });
  };
  return { ...ports, manifests: { ...manifests, find, tags } };
}

function unknownManifest(message: string): OciError {
  return new OciError("MANIFEST_UNKNOWN", { message });
}

function unknownTime(prefix: string): OciError {
  const segment = prefix.slice(0, -1);
  const message = `${segment} is not a time: write as-of-20261001t1200z, in UTC`;
  return new OciError("NAME_UNKNOWN", { message });
}

function readOnly(time: Date): OciError {
  const headers = { allow: "GET, HEAD" };
  return new OciError("UNSUPPORTED", { message: readOnlyView(time), headers });
}

/** Returns the repository whose rights apply to a name of a view; undefined for other names. */
export function viewedRepository(text: string): string | undefined {
  return parseViewName(text)?.name;
}
