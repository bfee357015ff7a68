import type { DocumentStore } from "@sealhouse/http-responses";
import type { PackagePast } from "./as-of/ports.ts";
import type { NuGetPorts } from "./ports.ts";

/** Ports that bring their own ones for ids that are hidden from the caller, as those of a view. */
export type ViewPorts = NuGetPorts & { readonly ofUnknown?: NuGetPorts };

/**
 * Returns the ports that answer for a hidden id as for an id that no package has, so that no answer
 * depends on the hidden package. Use them for requests about this id only.
 */
export function portsOfUnknown(ports: ViewPorts): NuGetPorts {
  if (ports.ofUnknown) return ports.ofUnknown;
  const { lookup, upstream, provenance, symbols, lifecycle, recorder, views } = ports;
  const standIn = (id: string) => upstream.standIn(id);
  return {
    ...ports,
    documents: UNSTORED,
    lookup: {
      summaries: (id, options) => lookup.summaries(standIn(id), options),
      versions: (id, only) => lookup.versions(standIn(id), only),
      find: (id, version) => lookup.find(standIn(id), version),
    },
    upstream: {
      ...upstream,
      standIn,
      revise: (id, document) => upstream.revise(standIn(id), document),
      package: (id, version) => upstream.package(standIn(id), version),
      nuspec: (id, version) => upstream.nuspec(standIn(id), version),
      readme: (id, version) => upstream.readme(standIn(id), version),
    },
    provenance: { ...provenance, find: (id, version) => provenance.find(standIn(id), version) },
    symbols: {
      ...symbols,
      findPackage: (id, version) => symbols.findPackage(standIn(id), version),
    },
    lifecycle: {
      delete: (id, ...deletion) => lifecycle.delete(standIn(id), ...deletion),
      deprecate: (id, ...change) => lifecycle.deprecate(standIn(id), ...change),
      tombstones: (id) => lifecycle.tombstones(standIn(id)),
      allowReuse: (id, ...allowed) => lifecycle.allowReuse(standIn(id), ...allowed),
    },
    recorder: {
      ...recorder,
      setListed: (id, ...change) => recorder.setListed(standIn(id), ...change),
    },
    ...(views && { views: { ...views, past: pastOfUnknown(views.past, standIn) } }),
  };
}

function pastOfUnknown(past: PackagePast, standIn: (id: string) => string): PackagePast {
  return {
    versions: (id, time) => past.versions(standIn(id), time),
    version: (id, version, time) => past.version(standIn(id), version, time),
    kept: (id, ...version) => past.kept(standIn(id), ...version),
    beginning: (time) => past.beginning(time),
  };
}

/** Documents are stored under the id that a request names, which is not unknown. */
const UNSTORED: DocumentStore = {
  read: async () => undefined,
  revision: async () => 0,
  keep: async () => undefined,
};
