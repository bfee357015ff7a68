import type { StaleAnswer, UpstreamDocument } from "@sealhouse/nuget-protocol";
import type { FoundAtSource } from "../mirror.ts";

export type Revise = (
  id: string,
  document: UpstreamDocument,
) => Promise<StaleAnswer | undefined> | undefined;

export type RevisionParts = {
  /** Whether any source is for packages of this protocol. */
  readonly hasSources: () => Promise<boolean>;
  /** Reads the kept document, and compares it with its source when it is old. */
  readonly read: (id: string, document: UpstreamDocument) => Promise<FoundAtSource | undefined>;
  readonly now: () => Date;
};

/** Sources are added rarely; until then nothing is asked. */
const WITHOUT_SOURCES_MS = 2_000;
/** An administrator may release an id that is published here. */
const LOCAL_MS = 60_000;
/** A comparison is under way. */
const SOON_MS = 1_000;
const REMEMBERED_MAX = 50_000;

/**
 * Remembers in memory until when documents are current, so that most reads of a rendering ask
 * neither the database nor a source.
 */
export function createRevisions({ hasSources, read, now }: RevisionParts): Revise {
  const currentUntil = new Map<string, number>();
  const running = new Map<string, Promise<StaleAnswer | undefined>>();
  let idleUntil = 0;

  const keep = (key: string, until: number) => {
    const [oldest] = currentUntil.keys();
    if (currentUntil.size >= REMEMBERED_MAX && oldest !== undefined) currentUntil.delete(oldest);
    currentUntil.set(key, until);
  };
  const compare = async (
    key: string,
    id: string,
    document: UpstreamDocument,
  ): Promise<StaleAnswer | undefined> => {
    const timeMs = now().getTime();
    if (!(await hasSources())) {
      idleUntil = timeMs + WITHOUT_SOURCES_MS;
      return undefined;
    }
    const found = await read(id, document);
    if (!found) {
      keep(key, timeMs + LOCAL_MS);
      return undefined;
    }
    const { source, answer } = found;
    const freshUntil = answer.checkedAt.getTime() + source.settings.revalidateAfterMs;
    if (!answer.staleSince) keep(key, Math.max(freshUntil, timeMs + SOON_MS));
    return answer.staleSince && { source: source.name, since: answer.staleSince };
  };

  return (id, document) => {
    const timeMs = now().getTime();
    if (timeMs < idleUntil) return undefined;
    const key = `${document} ${id}`;
    if ((currentUntil.get(key) ?? 0) > timeMs) return undefined;
    const before = running.get(key);
    if (before) return before;
    const comparison = compare(key, id, document).finally(() => running.delete(key));
    running.set(key, comparison);
    return comparison;
  };
}
