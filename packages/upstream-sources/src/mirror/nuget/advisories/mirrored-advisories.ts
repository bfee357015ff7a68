import { createHash } from "node:crypto";
import type { Advisory, AdvisoryLookup, AdvisoryState } from "@sealhouse/nuget-protocol";
import type { PackageSource } from "../../../sources/package-source.ts";
import { sourcesFor } from "../../../sources/sources-for.ts";
import { isSourceFailure } from "../../documents/document-reader.ts";
import type { Mirror } from "../../mirror.ts";
import { withinMs } from "../../calls/patience.ts";
import { createDocumentMemory } from "../documents/document-memory.ts";
import { advisoriesAsk, advisoriesOn, readAdvisories } from "./kept-advisories.ts";
import type { KeptAdvisories } from "./kept-advisories.ts";
import type { ClientOf } from "../documents/source-clients.ts";

type Parts = {
  readonly mirror: Pick<Mirror, "documents" | "upstreams">;
  readonly clientOf: ClientOf;
  readonly now: () => Date;
};

type OfSource = {
  readonly source: PackageSource;
  readonly revision: string;
  readonly kept: KeptAdvisories;
};

/** The service index waits for the first answer of a source; later documents are kept ones. */
const WAIT_MAX_MS = 5_000;
/** The same for a source that was slower before. */
const SLOW_WAIT_MAX_MS = 100;

/**
 * Adds the vulnerability pages of sources to those of the feed, so that audits warn as they do at
 * the source. A source that fails and has no kept pages is left out. A source tells only about
 * names that its packages may have.
 */
export function mirroredAdvisories(lookup: AdvisoryLookup, parts: Parts): AdvisoryLookup {
  const { mirror, clientOf, now } = parts;
  const remember = createDocumentMemory();
  const slow = new Set<string>();

  const readKept = async (source: PackageSource): Promise<readonly OfSource[]> => {
    try {
      const ask = advisoriesAsk(clientOf, source, now);
      const waitMs = slow.has(source.name) ? SLOW_WAIT_MAX_MS : WAIT_MAX_MS;
      const answer = await withinMs(mirror.documents.read(ask), waitMs);
      if (answer) slow.delete(source.name);
      else slow.add(source.name);
      if (answer?.status !== "found") return [];
      const { revision } = answer;
      const kept = await remember(source.name, answer, readAdvisories);
      return [{ source, revision, kept }];
    } catch (error) {
      if (isSourceFailure(error)) return [];
      throw error;
    }
  };
  const ofSources = async () =>
    (await Promise.all((await mirror.upstreams("nuget")).map(readKept))).flat();

  return {
    of: (ids) => lookup.of(ids),
    async state() {
      const [own, others] = await Promise.all([lookup.state(), ofSources()]);
      return stateOf([...(own ? [own] : []), ...others.map(timesOf)]);
    },
    async variant() {
      const all = await ofSources();
      if (all.length === 0) return lookup.variant();
      const facts = all.map(({ source, revision }) => [source.name, source.settings, revision]);
      const text = JSON.stringify([await lookup.variant(), facts]);
      return createHash("sha256").update(text).digest("base64url").slice(0, 22);
    },
    async page(page) {
      const [own, all] = await Promise.all([lookup.page(page), ofSources()]);
      const sources = all.map(({ source }) => source);
      const merged = new Map<string, readonly Advisory[]>(own);
      for (const { source, kept } of all) {
        const byId = Map.groupBy(advisoriesOn(kept, page), ({ id }) => id);
        for (const [id, advisories] of byId) {
          if (!sourcesFor(sources, { protocol: "nuget", name: id }).includes(source)) continue;
          merged.set(id, [...(merged.get(id) ?? []), ...advisories]);
        }
      }
      return merged;
    },
  };
}

function timesOf({ kept: { changedAt } }: OfSource): AdvisoryState {
  return { baseAt: changedAt.base, updatedAt: changedAt.update };
}

function stateOf(states: readonly AdvisoryState[]): AdvisoryState | undefined {
  if (states.length === 0) return undefined;
  const bases = states.map(({ baseAt }) => baseAt.getTime());
  const updates = states.map(({ updatedAt }) => updatedAt.getTime());
  return {
    baseAt: new Date(Math.max(...bases)),
    updatedAt: new Date(Math.max(...bases, ...updates)),
  };
}
