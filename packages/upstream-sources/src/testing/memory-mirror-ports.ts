import type {
  DocumentKey,
  KeptDocument,
  KeptDocuments,
  NameOrigins,
  SourceState,
} from "../mirror/ports.ts";
import type { PolicyRule } from "../policy/policy-rule.ts";
import type { SourceRow } from "../sources/source-rows.ts";
import { createMemoryNameOrigins } from "./memory-name-origins.ts";
import type { MirrorPorts } from "./mirror-ports-contract.ts";

export type MemoryMirrorPorts = MirrorPorts & {
  /** Groups of rendered documents that changes have made stale, in order. */
  readonly staleGroups: readonly string[];
};

/** Rows of a mirror in memory. `own`: names that are published here, such as `npm/left-pad`. */
export function createMemoryMirrorPorts({
  own = [],
  now = () => new Date(),
}: {
  readonly own?: readonly string[];
  readonly now?: () => Date;
} = {}): MemoryMirrorPorts {
  const staleGroups: string[] = [];
  const origins = createMemoryNameOrigins(own, now);
  const states = new Map<string, SourceState>();
  const rows = new Map<string, SourceRow>();
  const rules = new Map<string, PolicyRule>();
  const seen = new Map<string, Date>();
  return {
    staleGroups,
    documents: createMemoryKeptDocuments(staleGroups, origins),
    origins,
    states: {
      all: async () => new Map(states),
      note: async (source, state) => void states.set(source.toLowerCase(), state),
    },
    sources: {
      list: async () =>
        [...rows]
          .toSorted(([a, one], [b, other]) => one.priority - other.priority || (a < b ? -1 : 1))
          .map(([, row]) => row),
      put: async (row) => void rows.set(row.name.toLowerCase(), row),
      remove: async (name) => (rows.delete(name.toLowerCase()) ? "removed" : "absent"),
    },
    rules: {
      list: async () =>
        [...rules.values()].toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime()),
      add: async (rule) => void rules.set(rule.id, rule),
      remove: async (id) => (rules.delete(id) ? "removed" : "absent"),
    },
    firstSeen: {
      async note(source, name, versions) {
        const keyOfVersion = (version: string) => [source, name, version].join("\n");
        for (const key of versions.map(keyOfVersion)) if (!seen.has(key)) seen.set(key, now());
        return new Map(
          versions.map((version) => [version, seen.get(keyOfVersion(version)) ?? now()]),
        );
      },
    },
  };
}

type Row = { readonly kept: KeptDocument; readonly bytes?: Uint8Array };

function createMemoryKeptDocuments(
  staleGroups: string[],
  origins: Pick<NameOrigins, "claim">,
): KeptDocuments {
  const rows = new Map<string, Row>();
  return {
    find: async (key) => rows.get(keyOf(key))?.kept,
    bytes: async (key) => rows.get(keyOf(key))?.bytes,
    async put(key, { bytes, ...kept }, stale, claim) {
      const keptBytes =
        bytes ?? (kept.status === "found" ? rows.get(keyOf(key))?.bytes : undefined);
      rows.set(keyOf(key), { kept, ...(keptBytes && { bytes: keptBytes }) });
      staleGroups.push(...stale);
      if (claim) await origins.claim(claim.protocol, claim.name, claim.source);
    },
    count: async () => [...rows.values()].filter(({ kept }) => kept.status === "found").length,
    async dropAbsent(before) {
      const old = [...rows].filter(
        ([, { kept }]) => kept.status === "absent" && kept.checkedAt < before,
      );
      for (const [key] of old) rows.delete(key);
      return old.length;
    },
  };
}

function keyOf({ protocol, source, kind, name, part }: DocumentKey): string {
  return [protocol, source, kind, name, part].join("\n");
}
