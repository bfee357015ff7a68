import type { Context } from "hono";
import type { HiddenRepositories } from "./hidden-repositories.ts";
import type { OciPorts } from "./ports.ts";
import type { createPullCounter } from "./pull-counter.ts";
import type { RepositoryName } from "./repository-name.ts";
import type { NameMapping } from "./name-mapping.ts";
import { nameAt } from "./name-mapping.ts";
import type { Uploading } from "./upload/upload.ts";
import type { ImageSources } from "./upstream/ports.ts";

/** Repositories that this registry serves. */
export type Surfaces = {
  /** Segments. Each owns the names below it and has its own path. */
  readonly segments: readonly string[];
  /** Whether repositories outside the segments exist. */
  readonly hasDefault: boolean;
};

/** State that all requests of one registry share. */
export type Registry = {
  readonly ports: OciPorts;
  /** Service name of this registry in token requests. */
  readonly service: string;
  readonly uploading: Uploading;
  readonly startsPull: ReturnType<typeof createPullCounter>;
  readonly surfaces: Surfaces;
  /** Returns the milliseconds since 1970. */
  readonly now: () => number;
  readonly sources: ImageSources;
  readonly allowsSparseIndexes: boolean;
};

/** One request to the registry, with the name mapping of its address. The ports of its registry
 * answer for hidden repositories as for unknown ones. */
export type Call = {
  readonly c: Context;
  readonly registry: Registry;
  readonly mapping: NameMapping;
  readonly hidden: HiddenRepositories;
  /** Whether the repository is here, or something of it came from a source. */
  readonly isKnown: (name: RepositoryName) => Promise<boolean>;
};

/** Returns the URL for a follow-up request, at the requested address and with its name mapping. */
export function linkTo({ mapping }: Call, name: RepositoryName, rest: string): string {
  return `${mapping.path}/v2/${nameAt(mapping, name)}/${rest}`;
}

export function queryOf({ c }: Call): URLSearchParams {
  return new URL(c.req.raw.url).searchParams;
}
