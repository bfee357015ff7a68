import type { Context } from "hono";
import type { OciPorts } from "./ports.ts";
import type { createPullCounter } from "./pull-counter.ts";
import type { Uploading } from "./upload/upload.ts";

/** What every request of one registry shares. */
export type Registry = {
  readonly ports: OciPorts;
  /** Names this registry to its token service. */
  readonly service: string;
  readonly uploading: Uploading;
  /** Sessions that nobody touched since do not exist any more. */
  readonly uploadsIdleSince: () => Date | undefined;
  readonly startsPull: ReturnType<typeof createPullCounter>;
};

/** One request to it. */
export type Call = { readonly c: Context; readonly registry: Registry };

export function queryOf({ c }: Call): URLSearchParams {
  return new URL(c.req.raw.url).searchParams;
}
