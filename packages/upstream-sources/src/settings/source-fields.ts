import type { FieldKind } from "@sealhouse/settings";

const SECOND_MS = 1000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

export const STRATEGY = {
  type: "choice",
  values: ["IndexAndCache", "CacheOnly", "ProxyOnly"],
} as const;
export const SIGNATURE_POLICY = {
  type: "choice",
  values: ["Resign", "Merge", "TrustedCerts"],
} as const;
export const PRIORITY = { type: "integer", min: 0, max: 1_000_000 } as const;
const TIME = { type: "time-span", minMs: 0, maxMs: 36_500 * DAY_MS } as const;
const TEXTS = { type: "list", of: { type: "text" } } as const;

/** Fields of `PackageSources__N`. */
export const SOURCE_FIELDS = {
  Name: { type: "text" },
  Protocol: { type: "choice", values: ["NuGet", "Npm", "Oci"] },
  FeedUrl: { type: "url" },
  Type: { type: "choice", values: ["Upstream", "Downstream", "Both"] },
  Priority: PRIORITY,
  Surface: { type: "text" },
  CachingStrategy: STRATEGY,
  SignaturePolicy: SIGNATURE_POLICY,
  Username: { type: "text" },
  Password: { type: "text" },
  ApiKey: { type: "text" },
  Token: { type: "text" },
  IsEnabled: { type: "boolean" },
  MinimumReleaseAge: TIME,
  RevalidateAfter: TIME,
  StaleIfError: TIME,
  NegativeFor: TIME,
  MaxConnections: { type: "integer", min: 1, max: 1000 },
  MaxDocumentBytes: { type: "integer", min: 1024, max: 1024 * 1024 * 1024 },
  MaxFileBytes: { type: "integer", min: 1024, max: Number.MAX_SAFE_INTEGER },
  AllowPrivateNetwork: { type: "boolean" },
  PublicThroughHere: { type: "boolean" },
  FirstContact: { type: "choice", values: ["Allow", "Hold"] },
  OnRemoved: { type: "choice", values: ["Keep", "Hide", "Deny"] },
  CaPath: { type: "path" },
  Allow: TEXTS,
  Deny: TEXTS,
  CredentialOrigins: TEXTS,
  TokenRealms: TEXTS,
  TrustedCertificates: TEXTS,
} as const satisfies Readonly<Record<string, FieldKind>>;

export const SOURCE_SECRETS = ["Password", "ApiKey", "Token"] as const;

/** Fields of the registries below `Feed__Npm__Mirror` and `Feed__Oci__…__Mirror`. */
export const REGISTRY_FIELDS = {
  Url: { type: "url" },
  Token: { type: "text" },
  Username: { type: "text" },
  Password: { type: "text" },
  Priority: PRIORITY,
} as const satisfies Readonly<Record<string, FieldKind>>;
