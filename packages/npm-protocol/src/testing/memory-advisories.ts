import type { NewNpmAdvisory, NpmAdvisories, NpmAdvisoryRecorder } from "../advisories/ports.ts";
import { advisoryFingerprint, planNpmReplacement } from "../advisories/replacement.ts";

/** Advisories in a list for each source. */
export function createMemoryNpmAdvisories(): NpmAdvisories & NpmAdvisoryRecorder {
  const sources = new Map<string, ReadonlyMap<string, NewNpmAdvisory>>();
  return {
    async of(names) {
      const rows = [...sources.values()].flatMap((source) => [...source.values()]);
      const requestedNames = new Set(names);
      const matches = rows.filter(({ name }) => requestedNames.has(name));
      const grouped = Map.groupBy(matches, ({ name }) => name);
      return new Map([...grouped].map(([name, some]) => [name, some.map(withoutName)]));
    },
    async replace(source, advisories) {
      const oldAdvisories = sources.get(source) ?? new Map<string, NewNpmAdvisory>();
      const { added, fingerprints } = await planNpmReplacement(source, advisories, (fingerprint) =>
        oldAdvisories.has(fingerprint),
      );
      const left = [...oldAdvisories].filter(([fingerprint]) => fingerprints.has(fingerprint));
      const fresh = added.map((advisory) => [advisoryFingerprint(advisory), advisory] as const);
      sources.set(source, new Map([...left, ...fresh]));
      return {
        added: added.length,
        removed: oldAdvisories.size - left.length,
        total: fingerprints.size,
      };
    },
    async remove(source) {
      sources.delete(source);
    },
  };
}

function withoutName({ name: _name, ...advisory }: NewNpmAdvisory) {
  return advisory;
}
