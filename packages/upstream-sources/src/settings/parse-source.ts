import { resolve } from "node:path";
import type { Section, Settings } from "@sealhouse/settings";
import type { Protocol } from "@sealhouse/request-types";
import { createSource, credentialsFrom } from "../sources/create-source.ts";
import type { CredentialTexts } from "../sources/create-source.ts";
import type {
  FirstContact,
  OnRemoved,
  PackageSource,
  SourceSettings,
} from "../sources/package-source.ts";
import type { SOURCE_FIELDS } from "./source-fields.ts";

/** Values of sources that set none. */
export type SourceFallbacks = Pick<PackageSource, "strategy" | "signaturePolicy">;

type Fields = Partial<Readonly<Record<keyof typeof SOURCE_FIELDS, string>>>;

const REQUIRED = ["Name", "Protocol", "FeedUrl"] as const;

/** Returns the source of one section of `PackageSources`; undefined after a problem. */
export function parseSource(
  settings: Settings,
  section: Section,
  fallbacks: SourceFallbacks,
): PackageSource | undefined {
  const { key } = section;
  const fields: Fields = section.fields;
  const { Name: name, FeedUrl: url } = fields;
  const protocol = fields.Protocol?.toLowerCase() as Protocol | undefined;
  const missing = REQUIRED.filter((field) => !settings.textOf(`${key}__${field}`));
  for (const field of missing) settings.problem(`${key}__${field}`, "is required for a source");
  if (name === undefined || url === undefined || protocol === undefined) return undefined;
  if (protocol !== "nuget" && fields.SignaturePolicy !== undefined) {
    settings.problem(`${key}__SignaturePolicy`, "is only for sources of NuGet packages");
  }
  const credentials = credentialsOf(settings, key, {
    protocol,
    texts: {
      username: fields.Username,
      password: fields.Password,
      apiKey: fields.ApiKey,
      token: fields.Token,
    },
  });
  return createSource({
    name,
    protocol,
    url,
    from: "configuration",
    type: (fields.Type?.toLowerCase() ?? "upstream") as PackageSource["type"],
    ...(fields.Priority !== undefined && { priority: Number(fields.Priority) }),
    ...(fields.Surface !== undefined && { surface: fields.Surface.toLowerCase() }),
    strategy: (fields.CachingStrategy as PackageSource["strategy"]) ?? fallbacks.strategy,
    signaturePolicy:
      (fields.SignaturePolicy as PackageSource["signaturePolicy"]) ?? fallbacks.signaturePolicy,
    isEnabled: fields.IsEnabled !== "false",
    ...(credentials && { credentials }),
    settings: detailsOf(section),
  });
}

const NUMBERS = {
  minimumReleaseAgeMs: "MinimumReleaseAge",
  revalidateAfterMs: "RevalidateAfter",
  staleIfErrorMs: "StaleIfError",
  negativeForMs: "NegativeFor",
  maxConnections: "MaxConnections",
  maxDocumentBytes: "MaxDocumentBytes",
  maxFileBytes: "MaxFileBytes",
} as const satisfies Partial<Record<keyof SourceSettings, keyof Fields>>;

function detailsOf({ fields, lists }: Section): Partial<SourceSettings> {
  const numbers = Object.entries(NUMBERS).flatMap(([name, field]) => {
    const text = fields[field];
    return text === undefined ? [] : [[name, Number(text)] as const];
  });
  const { CaPath: caPath, OnRemoved: onRemoved, FirstContact: firstContact } = fields;
  const { TrustedCertificates: trusted = [] } = lists;
  return {
    ...Object.fromEntries(numbers),
    allow: lists["Allow"] ?? [],
    deny: lists["Deny"] ?? [],
    credentialOrigins: lists["CredentialOrigins"] ?? [],
    tokenRealms: lists["TokenRealms"] ?? [],
    trustedCertificates: trusted.map((fingerprint) => fingerprint.toLowerCase()),
    allowPrivateNetwork: fields["AllowPrivateNetwork"] === "true",
    publicThroughHere: fields["PublicThroughHere"] === "true",
    ...(onRemoved !== undefined && { onRemoved: onRemoved as OnRemoved }),
    ...(firstContact !== undefined && { firstContact: firstContact as FirstContact }),
    ...(caPath !== undefined && { caPath: resolve(caPath) }),
  };
}

const CREDENTIAL_KEYS: Readonly<Record<keyof CredentialTexts, string>> = {
  username: "Username",
  password: "Password",
  apiKey: "ApiKey",
  token: "Token",
  headers: "CustomHeaders",
};

/** Reads the credentials below a key; adds a problem for half of them. */
export function credentialsOf(
  settings: Settings,
  key: string,
  { protocol, texts }: { readonly protocol: Protocol; readonly texts: CredentialTexts },
): PackageSource["credentials"] {
  const outcome = credentialsFrom(protocol, texts);
  if (outcome.status === "refused") {
    settings.problem(`${key}__${CREDENTIAL_KEYS[outcome.part]}`, outcome.words);
  }
  return outcome.status === "usable" ? outcome.credentials : undefined;
}
