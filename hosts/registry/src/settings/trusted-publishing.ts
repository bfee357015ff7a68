import { normalizeAudience } from "@sealhouse/identity";
import type { Settings } from "./settings.ts";

/** Publishing by whoever a build service vouches for. */
export type TrustedPublishingConfig = {
  /** Exactly as they stand in `iss`; none while it is off. */
  readonly issuers: Readonly<Partial<Record<"github" | "gitlab" | "circleci", string>>>;
  /** What ID tokens may be meant for, lower-case and without ports. */
  readonly audiences: ReadonlySet<string>;
};

const ISSUER_KEYS = {
  github: "Feed__Npm__TrustedPublishing__GitHub__Issuer",
  gitlab: "Feed__Npm__TrustedPublishing__GitLab__Issuer",
  circleci: "Feed__Npm__TrustedPublishing__CircleCI__Issuer",
} as const;

/** `hosts` are the configured addresses of the registry: a request may name any host, and so must
 * not decide what a token may be meant for. */
export function parseTrustedPublishing(
  settings: Settings,
  hosts: readonly string[],
): TrustedPublishingConfig {
  const more = settings.get("Feed__Npm__TrustedPublishing__Audiences");
  const audiences = new Set(
    [...hosts.map((host) => `npm:${host}`), ...more].map(normalizeAudience),
  );
  if (!settings.get("Feed__Npm__TrustedPublishing__Enabled")) return { issuers: {}, audiences };
  const issuers = Object.fromEntries(
    Object.entries(ISSUER_KEYS).flatMap(([provider, key]) => {
      const issuer = settings.get(key);
      return issuer === undefined ? [] : [[provider, demandSecure(settings, key, issuer)]];
    }),
  );
  return { issuers, audiences };
}

function demandSecure(settings: Settings, key: string, issuer: string): string {
  const isInside = settings.get("Host__OutgoingRequests__AllowPrivateAddresses");
  if (!issuer.startsWith("https:") && !isInside) {
    settings.problem(key, "must begin with https, or anybody on the way could sign ID tokens");
  }
  return issuer;
}
