import type { Context } from "hono";
import type { OciPorts } from "./ports.ts";
import type { createPullCounter } from "./pull-counter.ts";
import type { RepositoryName } from "./repository-name.ts";
import type { Spelling } from "./spelling.ts";
import { nameAt } from "./spelling.ts";
import type { Uploading } from "./upload/upload.ts";

/** Which repositories there may be. */
export type Surfaces = {
  /** Each owns the names below it, and has a path of its own. */
  readonly segments: readonly string[];
  /** Whether there is anything beside the segments. */
  readonly hasDefault: boolean;
};

/** What every request of one registry shares. */
export type Registry = {
  readonly ports: OciPorts;
  /** Names this registry to its token service. */
  readonly service: string;
  readonly uploading: Uploading;
  /** Sessions that nobody touched since do not exist any more. */
  readonly uploadsIdleSince: () => Date | undefined;
  readonly startsPull: ReturnType<typeof createPullCounter>;
  readonly surfaces: Surfaces;
};

/** One request to it, by one of its addresses. */
export type Call = {
  readonly c: Context;
  readonly registry: Registry;
  readonly spelling: Spelling;
};

/** Where the answer sends the client on: the address that was asked, and its way to write names. */
export function linkTo({ spelling }: Call, name: RepositoryName, rest: string): string {
  return `${spelling.path}/v2/${nameAt(spelling, name)}/${rest}`;
}

export function queryOf({ c }: Call): URLSearchParams {
  return new URL(c.req.raw.url).searchParams;
}
