import { readFileSync } from "node:fs";
import type { Fetch } from "@sealhouse/http-responses/outgoing";
import type { PublishTarget } from "../model/publish-target.ts";

/** Opens a `fetch` for calls to other servers. It never follows redirects. */
export type OpenFetch = (options: {
  /** Whether addresses in private networks are allowed. */
  readonly allowPrivate: boolean;
  /** PEM; trusted instead of the authorities that Node knows. */
  readonly ca?: string;
}) => Fetch;

/**
 * Returns the `fetch` of a target. Private addresses are allowed only for the origins of the target
 * itself, and only when it allows them. The first call reads the file with the authorities, and
 * fails without it.
 */
export function openTargetFetch(
  { endpoint, options }: Pick<PublishTarget, "endpoint" | "options">,
  openFetch: OpenFetch,
): Fetch {
  const own = new Set([endpoint.origin, ...options.allowedOrigins]);
  const { caPath } = options;
  const open = () => {
    const authorities = caPath === undefined ? {} : { ca: readFileSync(caPath, "utf8") };
    return {
      toPublic: openFetch({ allowPrivate: false, ...authorities }),
      toAll: openFetch({ allowPrivate: true, ...authorities }),
    };
  };
  let opened: ReturnType<typeof open> | undefined;
  return async (url, init) => {
    const { toPublic, toAll } = (opened ??= open());
    const isPrivateAllowed = options.allowPrivateNetwork && own.has(url.origin);
    return (isPrivateAllowed ? toAll : toPublic)(url, init);
  };
}
