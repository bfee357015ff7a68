import type { PackageSource } from "../../sources/package-source.ts";
import { sourcesFor } from "../../sources/sources-for.ts";
import type { WantedName } from "../../sources/sources-for.ts";
import type { OwnCalls } from "../calls/own-calls.ts";
import type { Peers } from "./peers.ts";
import type { NameOrigins, SourceList } from "../ports.ts";
import type { StandIns } from "./stand-ins.ts";

/** Where a name comes from. */
export type Located =
  /** From here; no source is asked. */
  | { readonly status: "own" }
  /** No source is for it. */
  | { readonly status: "closed" }
  | {
      readonly status: "sources";
      /** Empty for a request that began here: others get the name from its source themselves. */
      readonly sources: readonly PackageSource[];
      /** Whether the name was found at a source before; the first one is then that source. */
      readonly isClaimed: boolean;
    };

/** Chooses the sources of names by rows, without a call to a source. */
export type SourceChoice = {
  locate(wantedName: WantedName): Promise<Located>;
  /** The sources of those names that were found at one before, by name. */
  sourcesOf(
    protocol: WantedName["protocol"],
    names: readonly string[],
  ): Promise<ReadonlyMap<string, PackageSource>>;
  /** All sources of a protocol that search and similar questions of the running request go to. */
  upstreams(protocol: WantedName["protocol"]): Promise<readonly PackageSource[]>;
  /** The same sources, whether or not the running request may ask them. */
  enabled(protocol: WantedName["protocol"]): Promise<readonly PackageSource[]>;
  /** All sources that packages come from, disabled ones too; the same for all requests. */
  configured(protocol: WantedName["protocol"]): Promise<readonly PackageSource[]>;
  /** Names of the sources with `CacheOnly`, also of disabled ones. Their packages are not shown. */
  unlisted(protocol: WantedName["protocol"]): Promise<readonly string[]>;
};

type ChoiceParts = {
  readonly sources: SourceList;
  readonly origins: Pick<NameOrigins, "find" | "sourcesOf">;
  readonly ownCalls: Pick<OwnCalls, "chain" | "isOwn" | "leaveOut">;
  readonly peers: Pick<Peers, "among">;
  readonly standIns: Pick<StandIns, "routed">;
};

export function createSourceChoice(parts: ChoiceParts): SourceChoice {
  const { sources, origins, standIns } = parts;
  const askable = (all: readonly PackageSource[]) => askableBy(parts, all);
  const configured: SourceChoice["configured"] = async (protocol) =>
    listsOf(await sources.current(), protocol).configured;
  const enabled: SourceChoice["enabled"] = async (protocol) =>
    listsOf(await sources.current(), protocol).enabled;
  return {
    async locate(wantedName) {
      const { protocol } = wantedName;
      const listed = sourcesFor(await sources.current(), standIns.routed(wantedName));
      if (listed.length === 0) return { status: "closed" };
      const origin = await origins.find(protocol, nameKeyOf(wantedName));
      if (origin && origin.origin !== "mirrored") return { status: "own" };
      const chosen = listed.filter((source) => source.name === origin?.source);
      // Without its source, a name goes to the others.
      const asked = await askable(chosen.length > 0 ? chosen : listed);
      return { status: "sources", sources: asked, isClaimed: origin !== undefined };
    },
    async sourcesOf(protocol, names) {
      const found = await claimedSources(parts, protocol, names);
      const asked = new Set(await askable([...found.values()]));
      return new Map([...found].filter(([, source]) => asked.has(source)));
    },
    configured,
    enabled,
    upstreams: async (protocol) => askable(await enabled(protocol)),
    async unlisted(protocol) {
      return (await sources.current())
        .filter((source) => source.protocol === protocol && source.strategy === "CacheOnly")
        .map(({ name }) => name);
    },
  };
}

type Lists = Pick<Record<keyof SourceChoice, readonly PackageSource[]>, "configured" | "enabled">;

/** Every read of an image asks for them, and the list changes rarely. */
const knownLists = new WeakMap<
  readonly PackageSource[],
  Partial<Record<WantedName["protocol"], Lists>>
>();

function listsOf(all: readonly PackageSource[], protocol: WantedName["protocol"]): Lists {
  const known = knownLists.get(all)?.[protocol];
  if (known) return known;
  const configured = all.filter(
    (source) => source.protocol === protocol && source.type !== "downstream",
  );
  const enabled = configured
    .filter(({ isEnabled }) => isEnabled)
    .toSorted((a, b) => a.priority - b.priority);
  const lists = { configured, enabled };
  knownLists.set(all, { ...knownLists.get(all), [protocol]: lists });
  return lists;
}

/** Returns the sources that the running request may ask: none if it began here, and none of those
 * that it came through. */
async function askableBy(
  { ownCalls, peers }: ChoiceParts,
  all: readonly PackageSource[],
): Promise<readonly PackageSource[]> {
  if (all.length === 0 || ownCalls.chain().length === 0) return all;
  if (ownCalls.isOwn()) {
    ownCalls.leaveOut();
    return [];
  }
  const asking = await peers.among(all, ownCalls.chain());
  for (const registry of asking.values()) ownCalls.leaveOut(registry);
  return all.filter((source) => !asking.has(source));
}

async function claimedSources(
  { sources, origins }: ChoiceParts,
  protocol: WantedName["protocol"],
  names: readonly string[],
): Promise<ReadonlyMap<string, PackageSource>> {
  const all = await sources.current();
  if (!all.some((source) => source.protocol === protocol)) return new Map();
  const found = await origins.sourcesOf(protocol, names);
  return new Map(
    [...found].flatMap(([name, sourceName]) => {
      const listed = sourcesFor(all, { protocol, name });
      // Without its source, a name goes to the others.
      const source = listed.find((one) => one.name === sourceName) ?? listed[0];
      return source ? [[name, source] as const] : [];
    }),
  );
}

/** Returns the key of a name in the rows of origins. */
export function nameKeyOf({ protocol, name }: WantedName): string {
  return protocol === "nuget" ? name.toLowerCase() : name;
}
