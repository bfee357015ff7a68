import type { ByteSource } from "@sealhouse/http-responses";
import type { NpmAdvisory } from "../advisories/ports.ts";
import type { Attestation } from "../provenance/ports.ts";
import type { AnnouncedKey } from "../signatures/ports.ts";

/** The package source of an answer that is older than it should be, because the source fails. */
export type StaleAnswer = { readonly source: string; readonly since: Date };

/** The state that documents of a name depend on, in addition to its rows. */
export type NameState = {
  /** Present when its source fails. */
  readonly stale?: StaleAnswer;
  /** `variantOf` the package. */
  readonly variant?: string;
};

/** A tarball that a source has. */
export type UpstreamTarball =
  /** Stored by now: `lookup.tarball` finds it. */
  | { readonly status: "kept" }
  /** On its way. Reads end only after its hash was checked. */
  | { readonly status: "arriving"; readonly content: ByteSource; readonly etag: string };

/**
 * Other registries that packages come from. `lookup` answers for their packages as well; this port
 * has the rest. Its methods throw errors of unavailable sources, which are answered with 503.
 */
export interface NpmUpstream {
  /**
   * Compares the documents of a name with its source when they are old. Undefined when they are
   * current and nothing of it is withheld: the usual case, without a promise.
   */
  revise(name: string): Promise<NameState | undefined> | NameState | undefined;
  /**
   * Returns a name that no package has, for a name that is hidden from a caller: what this port and
   * `lookup` answer for it is what they answer for an unknown name. The sources that the hidden
   * name would go to are asked for the stand-in. The same one for the same name.
   */
  standIn(name: string): string;
  /** Throws `NpmError` for a version that is held back or denied. */
  tarball(name: string, version: string): Promise<UpstreamTarball | undefined>;
  /** The statements on a version, unchanged. */
  attestations(name: string, version: string): Promise<readonly Attestation[]>;
  /**
   * Advisories of the sources on versions of an inventory. Names that were never found at a source
   * are sent to no source. Empty while the sources fail.
   */
  advisories(
    inventory: ReadonlyMap<string, ReadonlySet<string>>,
  ): Promise<ReadonlyMap<string, readonly NpmAdvisory[]>>;
  /**
   * Returns the source whose package a publish of this name would replace for all who install it
   * here. Undefined for a name that was published or reserved here, or that no source has.
   */
  shadowed(name: string): Promise<string | undefined>;
  /** The keys of the sources, for their signatures. */
  keys(): Promise<readonly AnnouncedKey[]>;
}

/** A registry without sources. */
export const NO_UPSTREAM: NpmUpstream = {
  revise: () => undefined,
  // No package has the empty name.
  standIn: () => "",
  tarball: async () => undefined,
  attestations: async () => [],
  advisories: async () => new Map(),
  shadowed: async () => undefined,
  keys: async () => [],
};
