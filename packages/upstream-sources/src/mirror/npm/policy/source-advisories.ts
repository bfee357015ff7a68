import { BoundedCache } from "@sealhouse/bounded-cache";
import { foreignAdvisory, matchAdvisories } from "@sealhouse/npm-protocol";
import type { NpmAdvisory, NpmUpstream } from "@sealhouse/npm-protocol";
import type { NpmClient } from "@sealhouse/npm-protocol/client";
import type { PackageSource } from "../../../sources/package-source.ts";
import { isSourceFailure } from "../../documents/document-reader.ts";
import type { Mirror } from "../../mirror.ts";
import { withinMs } from "../../calls/patience.ts";

type Parts = {
  readonly mirror: Pick<Mirror, "calls" | "isForEveryone" | "isOffline" | "ownCalls" | "sourcesOf">;
  readonly clientOf: (source: PackageSource) => NpmClient;
  readonly now: () => Date;
};

type Versions = ReadonlyMap<string, readonly string[]>;
type Answer = { readonly advisories: readonly NpmAdvisory[]; readonly atMs: number };

/** Clients audit with every installation, and wait for the answer. */
const WAIT_MAX_MS = 5_000;
const FRESH_MS = 60 * 60_000;
const ANSWERS_MAX = 50_000;
/** Names of one request to a source. */
const NAMES_MAX = 1_000;

/**
 * Asks sources for advisories. A source gets only names that were found there before. Answers stay
 * in memory for an hour; a source that fails or is slow leaves the older ones.
 */
export function createSourceAdvisories(parts: Parts): NpmUpstream["advisories"] {
  const { mirror, clientOf, now } = parts;
  const answers = new BoundedCache<string, Answer>({ entries: ANSWERS_MAX });
  const running = new Map<string, Promise<void>>();

  const remember = (key: string, advisories: readonly NpmAdvisory[]) => {
    if (mirror.isForEveryone()) answers.set(key, { advisories, atMs: now().getTime() });
  };
  const isFresh = (key: string) =>
    now().getTime() - (answers.get(key)?.atMs ?? -Infinity) < FRESH_MS;

  const ask = async (source: PackageSource, wanted: Versions): Promise<void> => {
    const signal = AbortSignal.timeout(source.settings.firstByteTimeoutMs);
    const found = await mirror.calls.run(source, signal, (callSignal) =>
      clientOf(source).advisories(wanted, { signal: callSignal }),
    );
    for (const [name, versions] of wanted) {
      const about = (found.get(name) ?? []).flatMap((remote) => foreignAdvisory(remote) ?? []);
      const matches = matchAdvisories(name, about, versions);
      for (const version of versions) {
        const own = matches.filter((match) => match.versions.includes(version));
        const key = keyOf(source, name, version);
        remember(
          key,
          own.map(({ advisory }) => advisory),
        );
      }
    }
  };

  /** The same question of several clients is one request. */
  const askOnce = (source: PackageSource, wanted: Versions): Promise<void> => {
    const key = JSON.stringify([mirror.ownCalls.audience(), source.name, [...wanted]]);
    const asking = running.get(key) ?? ask(source, wanted).finally(() => running.delete(key));
    running.set(key, asking);
    return asking.catch((error: unknown) => {
      if (!isSourceFailure(error) && !isTimeout(error)) throw error;
    });
  };

  return async (inventory) => {
    const sources = await mirror.sourcesOf("npm", [...inventory.keys()]);
    const wanted = [...sources].flatMap(([name, source]) => {
      const versions = [...(inventory.get(name) ?? [])];
      const missing = versions.filter((version) => !isFresh(keyOf(source, name, version)));
      return missing.length > 0 ? [{ name, source, versions: missing }] : [];
    });
    if (!mirror.isOffline && wanted.length > 0) {
      const asked = [...Map.groupBy(wanted, ({ source }) => source)].flatMap(([source, names]) =>
        chunksOf(names).map((chunk) =>
          askOnce(source, new Map(chunk.map(({ name, versions }) => [name, versions]))),
        ),
      );
      await withinMs(Promise.all(asked), WAIT_MAX_MS);
    }
    return new Map(
      [...sources].map(([name, source]) => [
        name,
        [...(inventory.get(name) ?? [])].flatMap(
          (version) => answers.get(keyOf(source, name, version))?.advisories ?? [],
        ),
      ]),
    );
  };
}

function keyOf({ name: source }: PackageSource, name: string, version: string): string {
  return `${source} ${name}@${version}`;
}

function chunksOf<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / NAMES_MAX) }, (_, index) =>
    all.slice(index * NAMES_MAX, (index + 1) * NAMES_MAX),
  );
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}
