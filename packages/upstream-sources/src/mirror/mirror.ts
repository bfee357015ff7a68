import type { Fetch } from "@sealhouse/http-responses/outgoing";
import type { Leases } from "@sealhouse/jobs";
import type { PackageSource } from "../sources/package-source.ts";
import { withSecretHeaders } from "../sources/source-credentials.ts";
import type { WantedName } from "../sources/sources-for.ts";
import { createAbsentCalls } from "./calls/absent-calls.ts";
import type { AbsentCalls } from "./calls/absent-calls.ts";
import type { Arrivals } from "./files/arrivals.ts";
import { createArrivals } from "./files/arrivals.ts";
import type { DocumentAsk } from "./documents/document-ask.ts";
import type { DocumentAnswer, DocumentReader } from "./documents/document-reader.ts";
import { createDocumentReader } from "./documents/document-reader.ts";
import { rememberClients } from "./known-clients.ts";
import type { KeptDocuments, NameOrigins, SourceList } from "./ports.ts";
import type { SourceCalls } from "./calls/source-calls.ts";
import { createSourceCalls } from "./calls/source-calls.ts";
import type { OpenFetch } from "./calls/source-fetch.ts";
import type { HeadersOf, OwnCalls } from "./calls/own-calls.ts";
import { createOwnCalls } from "./calls/own-calls.ts";
import { shadowedSource } from "./choice/shadowed-source.ts";
import { createPeers } from "./choice/peers.ts";
import { createSourceChoice, nameKeyOf } from "./choice/source-choice.ts";
import type { SourceChoice } from "./choice/source-choice.ts";
import { openSourceFetch } from "./calls/source-fetch.ts";
import type { StandIns } from "./choice/stand-ins.ts";
import { createStandIns } from "./choice/stand-ins.ts";

export type { Located } from "./choice/source-choice.ts";

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

/** A document, and the source that has it. */
export type FoundAtSource = {
  readonly source: PackageSource;
  readonly answer: Extract<DocumentAnswer, { readonly status: "found" }>;
};

/** The common part of the mirrors of all protocols. Disposal ends all transfers and calls. */
export type Mirror = AsyncDisposable &
  SourceChoice & {
    readonly documents: DocumentReader;
    readonly arrivals: Arrivals;
    readonly calls: SourceCalls;
    readonly ownCalls: OwnCalls;
    readonly isOffline: boolean;
    readonly standIns: StandIns;
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
    /** Runs the answer to a request, whose questions for absent names are counted. */
    answerCounted: AbsentCalls["answer"];
    /** Runs the answer to a request of another registry, as `OwnCalls.answer`. */
    answerRegistry<T>(
      request: {
        readonly via: string;
        /** Whether it only asks which registry this is. */
        readonly isProbe: boolean;
      },
      work: (headersOf: HeadersOf) => Promise<T>,
    ): Promise<T>;
    /** Whether what the running request finds may be stored and shared. */
    isForEveryone(): boolean;
    /** Sends the secret headers of the source, but no other credentials. */
    fetchOf(source: PackageSource): Fetch;
  };

/** Opens the common part of the mirrors. */
export function openMirror(parts: MirrorParts): Mirror {
  const { isOffline, now, onFailure, openFetch, origins, sources } = parts;
  const stopped = new AbortController();
  const calls = createSourceCalls({ now, onFailure });
  const ownCalls = createOwnCalls(parts.registryId);
  const absentCalls = createAbsentCalls();
  const standIns = createStandIns();
  const calling = { calls, ownCalls, absentCalls, stop: stopped.signal };
  const documents = createDocumentReader({ ...parts, ...calling });
  const arrivals = createArrivals({ ...parts, ownCalls });
  const fetchOf = rememberClients((source) =>
    withSecretHeaders(
      source,
      ownCalls.mark(openSourceFetch(source, openFetch), (registry) => peers.note(source, registry)),
    ),
  );
  const peers = createPeers({ fetchOf, isOffline });

  const choice = createSourceChoice({ sources, origins, ownCalls, peers, standIns });
  return {
    documents,
    arrivals,
    calls,
    ownCalls,
    isOffline,
    standIns,
    ...choice,
    isForEveryone: () => ownCalls.isForEveryone(),
    async findFirst(wantedName, askOf) {
      const located = await choice.locate(wantedName);
      if (located.status === "own") return "own";
      if (located.status === "closed") return "absent";
      const { protocol } = wantedName;
      const name = nameKeyOf(wantedName);
      for (const source of located.sources) {
        const claim = { protocol, name, source: source.name };
        const ask = { ...askOf(source), isNewName: !located.isClaimed };
        // A source before this one may have the name for others.
        const isClaiming = !located.isClaimed && ownCalls.isForEveryone();
        const answer = await documents.read(isClaiming ? { ...ask, claim } : ask);
        if (answer.status === "absent") continue;
        if (located.isClaimed || !ownCalls.isForEveryone()) return { source, answer };
        // Not there yet when the document was kept before.
        const origin =
          (await origins.find(protocol, name)) ??
          (await origins.claim(protocol, name, source.name));
        return origin.origin === "mirrored" ? { source, answer } : "own";
      }
      return "absent";
    },
    shadowed: (wantedName, askOf) =>
      ownCalls.outside(() => shadowedSource({ sources, origins, documents }, wantedName, askOf)),
    answerCounted: (count, work) => absentCalls.answer(count, work),
    answerRegistry: ({ via, isProbe }, work) =>
      ownCalls.answer(via, async (headersOf) => {
        if (isProbe || ownCalls.isOwn()) return work(headersOf);
        const enabled = (await sources.current()).filter(({ isEnabled }) => isEnabled);
        const asking = await peers.among(enabled, ownCalls.chain());
        if (asking.size > 0) ownCalls.separate();
        return work(headersOf);
      }),
    fetchOf,
    async [Symbol.asyncDispose]() {
      stopped.abort(new Error("the registry stops"));
      await arrivals[Symbol.asyncDispose]();
      await documents.settled();
    },
  };
}
