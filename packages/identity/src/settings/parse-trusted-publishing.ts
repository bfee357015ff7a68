import type { Settings } from "@sealhouse/settings";
import { normalizeAudience } from "../id-tokens/trusted-publishing.ts";
import { TRUSTED_PUBLISHING_SETTINGS } from "./trusted-publishing-table.ts";

/** Publishing with ID tokens of build services. */
export type TrustedPublishingConfig = {
  /** The exact values of `iss`; none while trusted publishing is off. */
  readonly issuers: Readonly<Partial<Record<"github" | "gitlab" | "circleci", string>>>;
  /** Allowed audiences, lower-case and without ports. */
  readonly audiences: ReadonlySet<string>;
};

const ISSUER_KEYS = {
  github: "Feed__Npm__TrustedPublishing__GitHub__Issuer",
  gitlab: "Feed__Npm__TrustedPublishing__GitLab__Issuer",
  circleci: "Feed__Npm__TrustedPublishing__CircleCI__Issuer",
} as const;

/** `hosts`: the configured host names of the registry. Requests may name any host, so they do not
 * decide which audiences are allowed. */
export function parseTrustedPublishing(
  settings: Settings,
  { hosts, allowHttp }: { readonly hosts: readonly string[]; readonly allowHttp: boolean },
): TrustedPublishingConfig {
  const own = settings.of(TRUSTED_PUBLISHING_SETTINGS);
  const more = own.get("Feed__Npm__TrustedPublishing__Audiences");
  const audiences = new Set(
    [...hosts.map((host) => `npm:${host}`), ...more].map(normalizeAudience),
  );
  if (!own.get("Feed__Npm__TrustedPublishing__Enabled")) return { issuers: {}, audiences };
  const issuers = Object.fromEntries(
    Object.entries(ISSUER_KEYS).flatMap(([provider, key]) => {
      const issuer = own.get(key);
      if (issuer !== undefined && !issuer.startsWith("https:") && !allowHttp) {
        settings.problem(key, "must begin with https; otherwise an attacker could forge ID tokens");
      }
      return issuer === undefined ? [] : [[provider, issuer] as const];
    }),
  );
  return { issuers, audiences };
}
