import { readFileSync } from "node:fs";
import type { Protocol } from "@sealhouse/request-types";
import type { Settings } from "@sealhouse/settings";
import { surfaceAudiences } from "../policies/audiences.ts";
import { TRUSTED_PUBLISHING_SETTINGS } from "./trusted-publishing-table.ts";

/** Publishing with ID tokens of build services. */
export type TrustedPublishingConfig = {
  /** Issuers for `npm trust`, the exact values of `iss`; none while trusted publishing is off. */
  readonly issuers: Readonly<Partial<Record<NpmProvider, string>>>;
  /** Issuers that policies may name. */
  readonly policyIssuers: readonly string[];
  /** Full keys of the settings that name the issuers, by the issuer. */
  readonly issuerSettings: ReadonlyMap<string, string>;
  /** Files with the keys of issuers, by the issuer. */
  readonly keyFiles: ReadonlyMap<string, string>;
  /** Accepted audiences, lower-case and without ports. */
  readonly audiences: Readonly<Record<Protocol, ReadonlySet<string>>>;
};

type NpmProvider = keyof typeof ISSUER_KEYS;

const ISSUER_KEYS = {
  github: "Feed__Npm__TrustedPublishing__GitHub__Issuer",
  gitlab: "Feed__Npm__TrustedPublishing__GitLab__Issuer",
  circleci: "Feed__Npm__TrustedPublishing__CircleCI__Issuer",
} as const;

type TrustedPublishingOptions = {
  /** The configured host names of each protocol. Requests may name any host, so they do not decide
   * which audiences are accepted. */
  readonly hosts: Readonly<Record<Protocol, readonly string[]>>;
  readonly allowHttp: boolean;
};

export function parseTrustedPublishing(
  settings: Settings,
  { hosts, allowHttp }: TrustedPublishingOptions,
): TrustedPublishingConfig {
  const own = settings.of(TRUSTED_PUBLISHING_SETTINGS);
  const checked = (key: string, issuer: string): string => {
    if (!issuer.startsWith("https:") && !allowHttp) {
      settings.problem(key, "must begin with https; otherwise an attacker could forge ID tokens");
    }
    return issuer;
  };
  const npmIssuers = Object.entries(ISSUER_KEYS).flatMap(([provider, key]) => {
    const issuer = own.get(key);
    return issuer === undefined ? [] : [{ provider, key, issuer: checked(key, issuer) }];
  });
  const more = own.get("Host__TrustedPublishing__Issuers").flatMap(({ key, fields }) => {
    const [issuer] = fields["Url"] ?? [];
    const [path] = fields["JwksPath"] ?? [];
    if (issuer === undefined) settings.problem(`${key}__Url`, "is required for an issuer");
    const problem = path === undefined ? undefined : keyFileProblem(path);
    if (problem !== undefined) settings.problem(`${key}__JwksPath`, problem);
    if (issuer === undefined) return [];
    return [{ key: `${key}__Url`, issuer: checked(`${key}__Url`, issuer), path }];
  });
  const isNpmEnabled = own.get("Feed__Npm__TrustedPublishing__Enabled");
  const byProvider = npmIssuers.map(({ provider, issuer }) => [provider, issuer] as const);
  const all = [...npmIssuers, ...more];
  return {
    issuers: isNpmEnabled ? Object.fromEntries(byProvider) : {},
    policyIssuers: [...new Set(all.map(({ issuer }) => issuer))],
    issuerSettings: new Map(all.map(({ issuer, key }) => [issuer, key])),
    keyFiles: new Map(
      more.flatMap(({ issuer, path }) => (path === undefined ? [] : [[issuer, path] as const])),
    ),
    audiences: surfaceAudiences(hosts, {
      npm: own.get("Feed__Npm__TrustedPublishing__Audiences"),
      others: own.get("Host__TrustedPublishing__Audiences"),
    }),
  };
}

/** The reason why a file is not usable as the keys of an issuer. */
function keyFileProblem(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    return `the file cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  const expected = 'expected a JSON Web Key Set: {"keys": [...]}';
  try {
    const keySet: unknown = JSON.parse(text);
    return Array.isArray(Object(keySet).keys) ? undefined : `${path} has no "keys"; ${expected}`;
  } catch {
    return `${path} is not JSON; ${expected}`;
  }
}
