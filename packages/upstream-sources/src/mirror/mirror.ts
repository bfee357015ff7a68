import type { Fetch } from "@sealhouse/http-responses/outgoing";
import type { Leases } from "@sealhouse/jobs";
import type { PackageSource } from "../sources/package-source.ts";
import { withSecretHeaders } from "../sources/source-credentials.ts";
import { sourcesFor } from "../sources/sources-for.ts";
import type { WantedName } from "../sources/sources-for.ts";
import type { Arrivals } from "./arrivals.ts";
import { createArrivals } from "./arrivals.ts";
import type { DocumentAsk } from "./document-ask.ts";
import type { DocumentAnswer, DocumentReader } from "./document-reader.ts";
import { createDocumentReader } from "./document-reader.ts";
import { rememberClients } from "./known-clients.ts";
import type { KeptDocuments, NameOrigins, SourceList } from "./ports.ts";
import type { SourceCalls } from "./source-calls.ts";
import { createSourceCalls } from "./source-calls.ts";
import type { OpenFetch } from "./source-fetch.ts";
import type { OwnCalls } from "./own-calls.ts";
import { createOwnCalls } from "./own-calls.ts";
import { shadowedSource } from "./shadowed-source.ts";
import { openSourceFetch } from "./source-fetch.ts";

/** Parts of a mirror: rows, sources, leases and calls. */
export type MirrorParts = {
  readonly sources: SourceList;
  readonly documents: KeptDocuments;
  readonly origins: NameOrigins;
  readonly leases: Leases;
  readonly openFetch: OpenFetch;
  /** Unique; the same on all instances. */
  readonly registryId: string;
  /** For transfers that are larger than 768 KiB. */
  readonly folder: string;
  /** No source is ever asked; stored documents are served, however old. */
  readonly isOffline: boolean;
  /** Milliseconds to wait for a file that another instance transfers. Default 30 s. */
  readonly transferWaitMaxMs?: number;
  readonly now: () => Date;
  /** For the log; must not throw. */
  readonly onFailure: (failure: { readonly source: string; readonly error: unknown }) => void;
};

/** Where a name comes from. */
export type Located =
  /** From here; no source is asked. */
  | { readonly status: "own" }
  /** No source is for it. */
  | { readonly status: "closed" }
  | {
      readonly status: "sources";
      readonly sources: readonly PackageSource[];
      /** Whether the name was found at a source before; the first one is then that source. */
      readonly isClaimed: boolean;
    };

/** A document, and the source that has it. */
export type FoundAtSource = {
  readonly source: PackageSource;
  readonly answer: Extract<DocumentAnswer, { readonly status: "found" }>;
};

/** The common part of the mirrors of all protocols. Disposal ends all transfers and calls. */
export type Mirror = AsyncDisposable & {
  readonly documents: DocumentReader;
  readonly arrivals: Arrivals;
  readonly calls: SourceCalls;
  readonly ownCalls: OwnCalls;
  readonly isOffline: boolean;
  /** Decides by rows, without a call to a source. */
  locate(wantedName: WantedName): Promise<Located>;
  /** The sources of those names that were found at one before, by name; without a call. */
  sourcesOf(
    protocol: WantedName["protocol"],
    names: readonly string[],
  ): Promise<ReadonlyMap<string, PackageSource>>;
  /**
   * Returns the document of the first source that has it, and keeps that choice for the name. A
   * source that fails ends the search: otherwise an outage would replace a package with another
   * one of the same name.
   * @throws UpstreamUnavailableError
   */
  findFirst(
    wantedName: WantedName,
    askOf: (source: PackageSource) => DocumentAsk,
  ): Promise<FoundAtSource | "own" | "absent">;
  /**
   * Returns the source whose package a publish of this name would replace. Asks the sources.
   * @throws UpstreamUnavailableError
   */
  shadowed(
    wantedName: WantedName,
    askOf: (source: PackageSource) => DocumentAsk,
  ): Promise<string | undefined>;
  /** All sources that packages come from, disabled ones too; the same for all requests. */
  configured(protocol: WantedName["protocol"]): Promise<readonly PackageSource[]>;
  /** All sources of a protocol that search and similar questions go to. */
  upstreams(protocol: WantedName["protocol"]): Promise<readonly PackageSource[]>;
  /** Names of the sources with `CacheOnly`, also of disabled ones. Their packages are not shown. */
  unlisted(protocol: WantedName["protocol"]): Promise<readonly string[]>;
  /** Sends the secret headers of the source, but no other credentials. */
  fetchOf(source: PackageSource): Fetch;
};

/** Opens the common part of the mirrors. */
export function openMirror(parts: MirrorParts): Mirror {
  const { isOffline, now, onFailure, openFetch, origins, sources } = parts;
  const stopped = new AbortController();
  const calls = createSourceCalls({ now, onFailure });
  const ownCalls = createOwnCalls(parts.registryId);
  const documents = createDocumentReader({ ...parts, calls, stop: stopped.signal });
  const arrivals = createArrivals(parts);
  const fetchOf = rememberClients((source) =>
    withSecretHeaders(source, ownCalls.mark(openSourceFetch(source, openFetch))),
  );

  const current = async (): Promise<readonly PackageSource[]> =>
    ownCalls.isOwn() ? [] : sources.current();

  const locate = async (wantedName: WantedName): Promise<Located> => {
    const { protocol } = wantedName;
    const listed = sourcesFor(await current(), wantedName);
    if (listed.length === 0) return { status: "closed" };
    const origin = await origins.find(protocol, nameKeyOf(wantedName));
    if (!origin) return { status: "sources", sources: listed, isClaimed: false };
    if (origin.origin !== "mirrored") return { status: "own" };
    const chosen = listed.filter((source) => source.name === origin.source);
    // Without its source, a name goes to the others.
    return { status: "sources", sources: chosen.length > 0 ? chosen : listed, isClaimed: true };
  };

  return {
    documents,
    arrivals,
    calls,
    ownCalls,
    isOffline,
    locate,
    sourcesOf: async (protocol, names) => sourcesOf(origins, await current(), { protocol, names }),
    async findFirst(wantedName, askOf) {
      const located = await locate(wantedName);
      if (located.status === "own") return "own";
      if (located.status === "closed") return "absent";
      const { protocol } = wantedName;
      const name = nameKeyOf(wantedName);
      for (const source of located.sources) {
        const claim = { protocol, name, source: source.name };
        const ask = askOf(source);
        const answer = await documents.read(located.isClaimed ? ask : { ...ask, claim });
        if (answer.status === "absent") continue;
        if (located.isClaimed) return { source, answer };
        // Not there yet when the document was kept before.
        const origin =
          (await origins.find(protocol, name)) ??
          (await origins.claim(protocol, name, source.name));
        return origin.origin === "mirrored" ? { source, answer } : "own";
      }
      return "absent";
    },
    shadowed: (wantedName, askOf) =>
      shadowedSource({ sources, origins, documents }, wantedName, askOf),
    configured: async (protocol) =>
      (await sources.current()).filter(
        (source) => source.protocol === protocol && source.type !== "downstream",
      ),
    async upstreams(protocol) {
      const all = await current();
      return all
        .filter((source) => source.protocol === protocol && source.isEnabled)
        .filter((source) => source.type !== "downstream")
        .toSorted((a, b) => a.priority - b.priority);
    },
    async unlisted(protocol) {
      return (await current())
        .filter((source) => source.protocol === protocol && source.strategy === "CacheOnly")
        .map(({ name }) => name);
    },
    fetchOf,
    async [Symbol.asyncDispose]() {
      stopped.abort(new Error("the registry stops"));
      await arrivals[Symbol.asyncDispose]();
      await documents.settled();
    },
  };
}

async function sourcesOf(
  origins: Pick<NameOrigins, "sourcesOf">,
  all: readonly PackageSource[],
  { protocol, names }: Pick<WantedName, "protocol"> & { readonly names: readonly string[] },
): Promise<ReadonlyMap<string, PackageSource>> {
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

function nameKeyOf({ protocol, name }: WantedName): string {
  return protocol === "nuget" ? name.toLowerCase() : name;
}
