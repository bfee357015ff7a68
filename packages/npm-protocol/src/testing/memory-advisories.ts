import type { NewNpmAdvisory, NpmAdvisories, NpmAdvisoryRecorder } from "../advisories/ports.ts";
import { advisoryFingerprint, planNpmReplacement } from "../advisories/replacement.ts";

/** Advisories in a list for each source. */
export function createMemoryNpmAdvisories(): NpmAdvisories & NpmAdvisoryRecorder {
  const sources = new Map<string, ReadonlyMap<string, NewNpmAdvisory>>();
  return {
    async of(names) {
      const rows = [...sources.values()].flatMap((source) => [...source.values()]);
      const asked = new Set(names);
      const found = rows.filter(({ name }) => asked.has(name));
      const grouped = Map.groupBy(found, ({ name }) => name);
      return new Map([...grouped].map(([name, some]) => [name, some.map(withoutName)]));
    },
    async replace(source, advisories) {
      const kept = sources.get(source) ?? new Map<string, NewNpmAdvisory>();
      const { added, wanted } = await planNpmReplacement(source, advisories, (one) =>
        kept.has(one),
      );
      const left = [...kept].filter(([fingerprint]) => wanted.has(fingerprint));
      const fresh = added.map((one) => [advisoryFingerprint(one), one] as const);
      sources.set(source, new Map([...left, ...fresh]));
      return { added: added.length, removed: kept.size - left.length, total: wanted.size };
    },
    async remove(source) {
      sources.delete(source);
    },
  };
}

function withoutName({ name: _name, ...advisory }: NewNpmAdvisory) {
  return advisory;
}
