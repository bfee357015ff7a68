import type { NuGetUpstream, StaleAnswer, UpstreamDocument } from "@sealhouse/nuget-protocol";
import type { FoundAtSource } from "../mirror.ts";
import { createNameMemory } from "../name-memory.ts";

export type RevisionParts = {
  /** Whether any source is for packages of this protocol. */
  readonly hasSources: () => Promise<boolean>;
  /** Reads the kept document, and compares it with its source when it is old. */
  readonly read: (id: string, document: UpstreamDocument) => Promise<FoundAtSource | undefined>;
  readonly now: () => Date;
};

/** Sources are added rarely; until then nothing is asked. */
const WITHOUT_SOURCES_MS = 2_000;
/** Time for which the origin of an id is not looked up again. */
const LOCAL_FOR_MS = 10_000;
/** Time until the end of a comparison in the background is noticed. */
const COMPARING_FOR_MS = 1_000;

type Known = { readonly stale?: StaleAnswer };

/**
 * Remembers in memory until when documents are current, so that most reads of a rendering ask
 * neither the database nor a source.
 */
export function createRevisions({ hasSources, read, now }: RevisionParts): NuGetUpstream["revise"] {
  const memory = createNameMemory<Known>(() => now().getTime());
  let idleUntil = 0;

  const compare = async (
    key: string,
    id: string,
    document: UpstreamDocument,
  ): Promise<StaleAnswer | undefined> => {
    const time = now().getTime();
    if (!(await hasSources())) {
      idleUntil = time + WITHOUT_SOURCES_MS;
      return undefined;
    }
    const found = await read(id, document);
    if (!found) {
      memory.set(key, { until: time + LOCAL_FOR_MS, state: {} });
      return undefined;
    }
    const { source, answer } = found;
    const freshUntil = answer.checkedAt.getTime() + source.settings.revalidateAfterMs;
    const stale = answer.staleSince && { source: source.name, since: answer.staleSince };
    const until = Math.max(freshUntil, time + COMPARING_FOR_MS);
    memory.set(key, { until, state: stale ? { stale } : {} });
    return stale;
  };

  return (id, document) => {
    if (now().getTime() < idleUntil) return undefined;
    const key = `${document} ${id}`;
    const known = memory.get(key);
    if (!known) return compare(key, id, document);
    return known.stale && Promise.resolve(known.stale);
  };
}
