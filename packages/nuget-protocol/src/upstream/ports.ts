import type { ByteSource } from "@sealhouse/http-responses";

/** The package source of an answer that is older than it should be, because the source fails. */
export type StaleAnswer = { readonly source: string; readonly since: Date };

/** The state that documents of an id depend on, in addition to its rows. */
export type IdState = {
  /** Present when its source fails. */
  readonly stale?: StaleAnswer;
  /** A part of the keys of stored documents. It changes with the versions that the rules withhold;
   * undefined when there are none. */
  readonly variant?: string;
};

/** A package file that a source has. */
export type UpstreamPackage =
  /** Stored by now: `lookup.find` finds it. */
  | { readonly status: "kept" }
  /** On its way. Reads end only after it was verified. */
  | { readonly status: "arriving"; readonly content: ByteSource; readonly etag: string };

/** The document of a source that a rendering is made from. */
export type UpstreamDocument = "versions" | "registration";

/**
 * Other feeds that packages come from. `lookup` answers for their packages as well; this port has
 * the rest. Ids and versions are lower-cased, as in lookups. Its methods throw errors of
 * unavailable sources, which are answered with 503, and `NuGetError` for versions that are held
 * back or denied.
 */
export interface NuGetUpstream {
  /**
   * Compares a document of an id with its source when it is old. Undefined when it is current and
   * nothing of it is withheld: the usual case, without a promise.
   */
  revise(
    id: string,
    document: UpstreamDocument,
  ): Promise<IdState | undefined> | IdState | undefined;
  /**
   * Returns an id that no package has, for an id that is hidden from a caller: what this port and
   * `lookup` answer for it is what they answer for an unknown id. The sources that the hidden id
   * would go to are asked for the stand-in. The same one for the same id.
   */
  standIn(id: string): string;
  package(id: string, version: string): Promise<UpstreamPackage | undefined>;
  /**
   * Returns the source whose package a push of this id would replace for all who restore it here.
   * Undefined for an id that was pushed or reserved here, or that no source has.
   */
  shadowed(id: string): Promise<string | undefined>;
  /** The manifest of a version that is not stored. */
  nuspec(id: string, version: string): Promise<Uint8Array | undefined>;
  /** The readme of a version that is not stored. */
  readme(id: string, version: string): Promise<Uint8Array | undefined>;
}

/** A feed without sources. */
export const NO_UPSTREAM: NuGetUpstream = {
  revise: () => undefined,
  // No package has the empty id.
  standIn: () => "",
  package: async () => undefined,
  shadowed: async () => undefined,
  nuspec: async () => undefined,
  readme: async () => undefined,
};
