import { readOsv } from "../formats/osv.ts";
import type {
  AdvisoryReaders,
  AdvisoryRecorder,
  AdvisoryRecorders,
  KnownSource,
} from "../ports.ts";
import { demo } from "./versions.test.support.ts";

/** Both ecosystems with versions of numbers and dots, and no feeds. */
export const readers: AdvisoryReaders<object, object> = {
  readNuGetOsv: (document) => readOsv(document, { ...demo, name: "NuGet" }),
  readNpmOsv: (document) => readOsv(document, { ...demo, name: "npm" }),
  index: {
    isVulnerabilityIndex: () => false,
    vulnerabilityIndexOf: () => undefined,
    readVulnerabilityIndex: () => Promise.reject(new Error("there are no feeds")),
  },
};

export type MemoryRegistry = {
  readonly recorders: AdvisoryRecorders<object, object>;
  /** The packages with advisories: `acme.json`, `npm acme`. */
  readonly names: () => readonly string[];
};

export function createMemoryRegistry(now: () => Date = () => new Date()): MemoryRegistry {
  const nuget = createMemoryRecorder();
  const npm = createMemoryRecorder();
  const sources = new Map<string, KnownSource>();
  return {
    recorders: {
      nuget: {
        async replace(source, advisories, state) {
          const counted = await nuget.recorder.replace(source, advisories);
          const newSource = { name: source, updatedAt: now(), checkedAt: now() };
          sources.set(source, { ...newSource, ...(state !== undefined && { state }) });
          return counted;
        },
        async remove(source) {
          await nuget.recorder.remove(source);
          sources.delete(source);
        },
        async checked(source) {
          const knownSource = sources.get(source);
          if (knownSource) sources.set(source, { ...knownSource, checkedAt: now() });
        },
        sources: () => Promise.resolve([...sources.values()]),
      },
      npm: npm.recorder,
    },
    names: () => [...nuget.names(), ...npm.names().map((name) => `npm ${name}`)].toSorted(),
  };
}

function createMemoryRecorder() {
  const recorded = new Map<string, ReadonlySet<string>>();
  const recorder: AdvisoryRecorder<object> = {
    async replace(source, advisories) {
      const before = recorded.get(source) ?? new Set();
      const after = new Set<string>();
      for await (const advisory of advisories) after.add(JSON.stringify(advisory));
      recorded.set(source, after);
      const [added, removed] = [after.difference(before), before.difference(after)];
      return { added: added.size, removed: removed.size, total: after.size };
    },
    async remove(source) {
      recorded.delete(source);
    },
  };
  const texts = () => [...recorded.values()].flatMap((advisories) => [...advisories]);
  const nameOf = (text: string) => (JSON.parse(text) as { readonly name: string }).name;
  return { recorder, names: () => [...new Set(texts().map(nameOf))] };
}
