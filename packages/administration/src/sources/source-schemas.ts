import { SOURCE_CHOICES } from "@sealhouse/upstream-sources";
import { z } from "zod";
import { field } from "../field.ts";

export const PROTOCOL = z.enum(["nuget", "npm", "oci"]);

/** A source as the API and commands show it: without secrets. */
export const SOURCE = z
  .strictObject({
    name: z.string(),
    protocol: z.string(),
    url: z.string(),
    type: z.string(),
    priority: z.int(),
    surface: z.string().optional(),
    strategy: z.string(),
    signaturePolicy: z.string(),
    credentials: z.string().describe("The kind of credentials."),
    allow: z.array(z.string()),
    deny: z.array(z.string()),
    from: z.enum(["database", "configuration"]),
    status: z.enum(["disabled", "failing", "paused", "replaced", "unused", "works"]),
    lastSuccessAt: z.string().optional(),
    lastErrorAt: z.string().optional(),
    lastError: z.string().optional(),
    recentErrors: z
      .array(z.strictObject({ at: z.iso.datetime(), words: z.string() }))
      .describe("Calls of the last hour that failed, the newest first; at most 50."),
    pausedUntil: z.string().optional(),
  })
  .meta({ id: "Source", title: "A package source" });

export type ShownSource = z.output<typeof SOURCE>;

export const PROBE = z.strictObject({
  name: z.string(),
  isEnabled: z.boolean(),
  outcome: z.enum(["works", "failed"]),
  status: z.int().optional().describe("The HTTP status of the last answer."),
  durationMs: z.int(),
  capabilities: z.array(z.string()),
  problem: z.string().optional(),
  remarks: z.array(z.string()).optional(),
});

/** The answer of a source to a test. */
export type ShownProbe = z.output<typeof PROBE>;

const text = (length = 2_048) => z.string().max(length).optional();
const list = () => z.array(z.string().max(512)).max(1_000).optional();
const SPAN = "Days and time: 7.00:00:00, 00:30:00.";

export const NAME = field(z.string().max(64), "Name", "Up to 64 letters, digits and . _ -");

/** Fields of a new source. Texts are parsed as those of settings are. */
export const SOURCE_FIELDS = {
  name: NAME,
  protocol: field(z.string().max(20), "Protocol", "nuget, npm or oci."),
  url: field(z.string().max(2_048), "URL", "Service index, npm registry or image registry.", {
    example: "https://registry.npmjs.org",
  }),
  type: field(text(20), "Type", `${SOURCE_CHOICES.Type.join(", ")}. Default: upstream.`),
  priority: field(text(6), "Priority", "Lower numbers are asked first. Default: 100.", {
    option: "--priority <number>",
  }),
  surface: field(text(64), "Segment", "Images: only this segment, or `default` for all others.", {
    option: "--surface <segment>",
  }),
  strategy: field(text(20), "Strategy", `${SOURCE_CHOICES.CachingStrategy.join(", ")}.`),
  signaturePolicy: field(
    text(20),
    "Signature policy",
    `NuGet: ${SOURCE_CHOICES.SignaturePolicy.join(", ")}.`,
    { option: "--signature-policy <policy>" },
  ),
  trustedCertificates: field(
    list(),
    "Trusted certificates",
    "SHA-256 fingerprints for the signature policy TrustedCerts.",
    { option: "--trusted-certificate <fingerprints...>" },
  ),
  username: field(text(255), "User name", "It requires a password.", {
    option: "--username <name>",
  }),
  password: field(text(), "Password", "Environment variable with the password.", {
    option: "--password-env <variable>",
    isSecret: true,
  }),
  token: field(text(), "Bearer token", "Environment variable with a bearer token.", {
    option: "--token-env <variable>",
    isSecret: true,
  }),
  apiKey: field(text(), "API key", "Environment variable with an API key.", {
    option: "--api-key-env <variable>",
    isSecret: true,
  }),
  headers: field(
    z.array(z.string().max(8_192)).max(20).optional(),
    "Secret headers",
    "`Name: value` each; a command takes the value from an environment variable.",
    { option: "--header-env <name=variable...>", isSecret: true },
  ),
  credentialOrigins: field(
    list(),
    "Further origins",
    "Origins that get the credentials: https://files.example.",
    { option: "--credential-origin <origins...>" },
  ),
  tokenRealms: field(list(), "Token services", "Images: further origins of token services.", {
    option: "--token-realm <origins...>",
  }),
  allow: field(list(), "Only these names", "Patterns: Acme.*, @acme/*, team/**.", {
    option: "--allow <patterns...>",
  }),
  deny: field(list(), "Never these names", "Patterns: Acme.*, @acme/*, team/**.", {
    option: "--deny <patterns...>",
  }),
  minimumReleaseAge: field(
    text(40),
    "Minimum release age",
    `Younger versions are held back. ${SPAN}`,
    { option: "--minimum-release-age <span>" },
  ),
  firstContact: field(
    text(20),
    "Young images of new tags",
    `${SOURCE_CHOICES.FirstContact.join(" or ")}.`,
    { option: "--first-contact <treatment>" },
  ),
  revalidateAfter: field(
    text(40),
    "Revalidate after",
    `Age of a document before it is compared. ${SPAN}`,
    { option: "--revalidate-after <span>" },
  ),
  staleIfError: field(
    text(40),
    "Serve in an outage for",
    `Time to serve documents while the source fails. ${SPAN}`,
    { option: "--stale-if-error <span>" },
  ),
  onRemoved: field(
    text(20),
    "Versions that the source removed",
    `${SOURCE_CHOICES.OnRemoved.join(", ")}.`,
    { option: "--on-removed <treatment>" },
  ),
  caPath: field(
    text(),
    "Certificate authorities",
    "PEM file on the machine of the registry with the authorities of the source.",
    { option: "--ca-path <file>", isPath: true },
  ),
  allowPrivateNetwork: field(
    z.boolean().optional(),
    "In a private network",
    "The source is in a private network.",
  ),
  publicThroughHere: field(
    z.boolean().optional(),
    "Public through here",
    "Readers without a token may get its packages.",
  ),
  disabled: field(z.boolean().optional(), "Disabled", "Add it without using it."),
  replace: field(z.boolean().optional(), "Replace", "Replace the source with this name."),
};

/** The field of each part of a source. */
export const FIELD_OF_PART = {
  Name: "name",
  Protocol: "protocol",
  FeedUrl: "url",
  Type: "type",
  Priority: "priority",
  Surface: "surface",
  CachingStrategy: "strategy",
  SignaturePolicy: "signaturePolicy",
  Allow: "allow",
  Deny: "deny",
  CredentialOrigins: "credentialOrigins",
  TokenRealms: "tokenRealms",
  TrustedCertificates: "trustedCertificates",
  MinimumReleaseAge: "minimumReleaseAge",
  RevalidateAfter: "revalidateAfter",
  StaleIfError: "staleIfError",
  OnRemoved: "onRemoved",
  FirstContact: "firstContact",
  CaPath: "caPath",
  AllowPrivateNetwork: "allowPrivateNetwork",
  PublicThroughHere: "publicThroughHere",
  Username: "username",
  Password: "password",
  ApiKey: "apiKey",
  Token: "token",
  Headers: "headers",
} as const;
