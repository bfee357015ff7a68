import type { NpmPast } from "./as-of/ports.ts";
import type { NpmPorts } from "./ports.ts";

/**
 * Names that this request named and its caller must not see. All ports answer for each as for a
 * name that no package has, so that no answer depends on the hidden package.
 */
export type HiddenNames = {
  add(name: string): void;
  has(name: string): boolean;
};

/** Returns the ports of one request, and the names that are hidden from its caller. */
export function hidingPorts(ports: NpmPorts): {
  readonly ports: NpmPorts;
  readonly hidden: HiddenNames;
} {
  const hidden = new Set<string>();
  const shown = (name: string) => (hidden.has(name) ? ports.upstream.standIn(name) : name);
  return {
    hidden,
    ports: {
      ...ports,
      ...readsFor(ports, shown),
      ...changesFor(ports, shown),
      ...(ports.views && { views: { ...ports.views, past: pastFor(ports.views.past, shown) } }),
    },
  };
}

type ShownName = (name: string) => string;

function readsFor(
  { lookup, upstream, attestations }: NpmPorts,
  shown: ShownName,
): Pick<NpmPorts, "lookup" | "upstream" | "attestations"> {
  return {
    lookup: {
      find: (name) => lookup.find(shown(name)),
      has: (name) => lookup.has(shown(name)),
      tarball: (name, version) => lookup.tarball(shown(name), version),
    },
    upstream: {
      ...upstream,
      revise: (name) => upstream.revise(shown(name)),
      tarball: (name, version) => upstream.tarball(shown(name), version),
      attestations: (name, version) => upstream.attestations(shown(name), version),
    },
    attestations: { of: (name, version) => attestations.of(shown(name), version) },
  };
}

/** They change nothing. To publish a hidden name is refused before. */
function changesFor(
  { recorder, lifecycle, owners, teams, trust }: NpmPorts,
  shown: ShownName,
): Pick<NpmPorts, "recorder" | "lifecycle" | "owners" | "teams" | "trust"> {
  const { publishers } = trust;
  return {
    recorder: {
      publish: (version, caller) => recorder.publish(version, caller),
      publishAll: (...batch) => recorder.publishAll(...batch),
      release: (...release) => recorder.release(...release),
      setTag: (name, ...change) => recorder.setTag(shown(name), ...change),
      removeTag: (name, ...change) => recorder.removeTag(shown(name), ...change),
    },
    lifecycle: {
      deprecate: (name, ...change) => lifecycle.deprecate(shown(name), ...change),
      unpublish: (name, ...removal) => lifecycle.unpublish(shown(name), ...removal),
      manifestBytes: (name) => lifecycle.manifestBytes(shown(name)),
    },
    owners: {
      packages: (of) => owners.packages(of),
      isPrivate: (name) => owners.isPrivate(shown(name)),
      setMaintainers: (name, ...change) => owners.setMaintainers(shown(name), ...change),
      setAccess: (name, ...change) => owners.setAccess(shown(name), ...change),
    },
    ...(teams && {
      teams: {
        ofScope: (scope) => teams.ofScope(scope),
        setPermission: (name, ...change) => teams.setPermission(shown(name), ...change),
      },
    }),
    trust: {
      ...trust,
      publishers: {
        list: (name) => publishers.list(shown(name)),
        add: (name, ...wishes) => publishers.add(shown(name), ...wishes),
        revoke: (name, ...revoked) => publishers.revoke(shown(name), ...revoked),
      },
    },
  };
}

function pastFor(past: NpmPast, shown: ShownName): NpmPast {
  return {
    find: (name, time) => past.find(shown(name), time),
    version: (name, version, time) => past.version(shown(name), version, time),
    kept: (name, ...version) => past.kept(shown(name), ...version),
    beginning: (time) => past.beginning(time),
  };
}
