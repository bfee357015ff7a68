import { readFileSync } from "node:fs";
import type { Fetch } from "@sealhouse/http-responses/outgoing";
import type { PackageSource } from "../../sources/package-source.ts";

/** Opens a `fetch` for calls to other servers. It never follows redirects. */
export type OpenFetch = (options: {
  /** Whether addresses in private networks are allowed. */
  readonly allowPrivate: boolean;
  /** A sentence about how to allow private addresses, for errors. */
  readonly advice?: string;
  /** PEM; trusted instead of the authorities that Node knows. */
  readonly ca?: string;
}) => Fetch;

const ALLOW_PRIVATE =
  "To allow it, add the source again with --allow-private-network --replace; " +
  "for a source of the settings, set its AllowPrivateNetwork to true.";

/** Opens the `fetch` of a source, with its certificate authorities. */
export function openSourceFetch(source: PackageSource, openFetch: OpenFetch): Fetch {
  const { caPath } = source.settings;
  return sourceFetch(
    source,
    openFetch,
    caPath === undefined ? caPath : readFileSync(caPath, "utf8"),
  );
}

/**
 * Returns the `fetch` of a source. Private addresses are allowed only for the origins of the source
 * itself, and only when it allows them: not for redirects and links to others.
 */
export function sourceFetch(
  { url, settings }: Pick<PackageSource, "url" | "settings">,
  openFetch: OpenFetch,
  ca?: string,
): Fetch {
  const own = new Set([url.origin, ...settings.credentialOrigins, ...settings.tokenRealms]);
  const authorities = ca === undefined ? {} : { ca };
  const toPublic = openFetch({ allowPrivate: false, advice: ALLOW_PRIVATE, ...authorities });
  const toAll = openFetch({ allowPrivate: true, ...authorities });
  return (target, init) => {
    const isPrivateAllowed = settings.allowPrivateNetwork && own.has(target.origin);
    return (isPrivateAllowed ? toAll : toPublic)(target, init);
  };
}
