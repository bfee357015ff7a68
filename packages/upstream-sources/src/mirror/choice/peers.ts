import type { Fetch } from "@sealhouse/http-responses/outgoing";
import { contentKeyOf } from "../../sources/package-source.ts";
import type { PackageSource } from "../../sources/package-source.ts";

/** Which sources are registries of this kind, by what they write into `Via`. */
export type Peers = {
  /** `registry`: undefined for a source of another kind. */
  note(source: PackageSource, registry: string | undefined): void;
  /** Returns those of the sources that are in `chain`. Asks each source that has not answered yet
   * who it is, once; one that does not answer counts as one of another kind. */
  among(
    sources: readonly PackageSource[],
    chain: readonly string[],
  ): Promise<ReadonlyMap<PackageSource, string>>;
};

export function createPeers({
  fetchOf,
  isOffline,
}: {
  readonly fetchOf: (source: PackageSource) => Fetch;
  /** No source is ever asked. */
  readonly isOffline: boolean;
}): Peers {
  const known = new Map<string, string | undefined>();
  const running = new Map<string, Promise<void>>();

  /** A registry asks no source when it answers OPTIONS: no two registries wait for each other. */
  const ask = async (source: PackageSource): Promise<void> => {
    const signal = AbortSignal.timeout(source.settings.firstByteTimeoutMs);
    const init: RequestInit = { method: "OPTIONS", redirect: "manual", signal };
    const response = await fetchOf(source)(new URL(source.url), init);
    await response.body?.cancel();
  };
  /** A call notes who answers it. */
  const learn = async (source: PackageSource): Promise<void> => {
    const key = contentKeyOf(source);
    if (isOffline || known.has(key)) return;
    const asking =
      running.get(key) ??
      ask(source)
        .catch(() => void known.set(key, undefined))
        .finally(() => running.delete(key));
    running.set(key, asking);
    await asking;
  };

  return {
    note: (source, registry) => void known.set(contentKeyOf(source), registry),
    async among(sources, chain) {
      if (chain.length === 0) return new Map();
      await Promise.all(sources.map(learn));
      return new Map(
        sources.flatMap((source) => {
          const registry = known.get(contentKeyOf(source));
          return registry !== undefined && chain.includes(registry)
            ? [[source, registry] as const]
            : [];
        }),
      );
    },
  };
}
