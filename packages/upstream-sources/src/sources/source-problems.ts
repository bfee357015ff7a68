import { hostKind } from "@sealhouse/http-responses/outgoing";
import { parsePatterns } from "@sealhouse/identity";
import { DEFAULT_SURFACE, SOURCE_NAME } from "./package-source.ts";
import type { PackageSource } from "./package-source.ts";

/** Facts about this registry that decide which sources it may have. */
export type SourceSurroundings = {
  /** Whether everyone may read packages here. */
  readonly isAnonymousPull: boolean;
  /** Origins of this registry's own addresses. */
  readonly ownOrigins: readonly string[];
  /** OCI segments. */
  readonly surfaces: readonly string[];
};

/** A part of a source, by the name of its setting. */
export type SourcePart =
  | "Name"
  | "FeedUrl"
  | "Surface"
  | "SignaturePolicy"
  | "Allow"
  | "Deny"
  | "CredentialOrigins"
  | "TokenRealms"
  | "TrustedCertificates"
  | "CaPath"
  | "AllowPrivateNetwork"
  | "PublicThroughHere";

/** Reason why a source cannot be used. */
export type SourceProblem = {
  readonly part: SourcePart;
  /** Begins with a verb: `is not …`. */
  readonly words: string;
};

/** Returns the reasons why a source cannot be used, for settings and commands. */
export function sourceProblems(
  source: PackageSource,
  surroundings: SourceSurroundings,
): readonly SourceProblem[] {
  return [
    ...nameProblems(source),
    ...addressProblems(source, surroundings),
    ...surfaceProblems(source, surroundings),
    ...patternProblems(source),
    ...originProblems(source),
    ...signatureProblems(source),
    ...readerProblems(source, surroundings),
  ];
}

function nameProblems({ name }: PackageSource): readonly SourceProblem[] {
  if (SOURCE_NAME.test(name)) return [];
  return [{ part: "Name", words: "is not allowed; allowed: up to 64 letters, digits and . _ -" }];
}

function addressProblems(
  { url, settings }: PackageSource,
  { ownOrigins }: SourceSurroundings,
): readonly SourceProblem[] {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return [{ part: "FeedUrl", words: "is not an http or https URL" }];
  }
  if (url.username !== "" || url.password !== "") {
    const words = "has credentials in the URL; set a user name and password, or a token";
    return [{ part: "FeedUrl", words }];
  }
  if (hostKind(url) === "metadata") {
    return [{ part: "FeedUrl", words: "is an address of a cloud's metadata service" }];
  }
  if (ownOrigins.includes(url.origin)) {
    const words = "is an address of this registry, which cannot be a mirror of itself";
    return [{ part: "FeedUrl", words }];
  }
  if (settings.caPath !== undefined && url.protocol === "http:") {
    return [{ part: "CaPath", words: "has no effect on an http URL" }];
  }
  return [];
}

function surfaceProblems(
  { protocol, surface }: PackageSource,
  { surfaces }: SourceSurroundings,
): readonly SourceProblem[] {
  if (surface === undefined) return [];
  if (protocol !== "oci") return [{ part: "Surface", words: "is only for sources of images" }];
  if (surface === DEFAULT_SURFACE || surfaces.includes(surface)) return [];
  const enable = `enable it with Feed__Oci__${surface}__Enabled`;
  return [{ part: "Surface", words: `"${surface}" is not a segment of images; ${enable}` }];
}

function patternProblems({ settings }: PackageSource): readonly SourceProblem[] {
  return (["Allow", "Deny"] as const).flatMap((part) => {
    const patterns = part === "Allow" ? settings.allow : settings.deny;
    const bad = patterns.find((pattern) => !isPattern(pattern));
    if (bad === undefined) return [];
    const words = `"${bad}" is not a name pattern, such as Acme.*, @acme/* or team/**`;
    return [{ part, words }];
  });
}

function isPattern(text: string): boolean {
  try {
    return parsePatterns(text).length === 1;
  } catch {
    return false;
  }
}

function originProblems({
  protocol,
  credentials,
  settings,
}: PackageSource): readonly SourceProblem[] {
  return (["CredentialOrigins", "TokenRealms"] as const).flatMap((part): SourceProblem[] => {
    const origins = part === "TokenRealms" ? settings.tokenRealms : settings.credentialOrigins;
    const [first] = origins;
    if (first === undefined) return [];
    const bad = origins.find((origin) => !isOrigin(origin));
    if (bad !== undefined) {
      return [{ part, words: `"${bad}" is not an origin, such as https://auth.example` }];
    }
    if (part === "TokenRealms" && protocol !== "oci") {
      return [{ part, words: "is only for sources of images" }];
    }
    return credentials ? [] : [{ part, words: "has no effect without credentials" }];
  });
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && text.startsWith("http");
}

function signatureProblems({
  protocol,
  signaturePolicy,
  settings,
}: PackageSource): readonly SourceProblem[] {
  const { trustedCertificates: trusted } = settings;
  const part = "TrustedCertificates";
  const bad = trusted.find((fingerprint) => !/^[0-9a-f]{64}$/.test(fingerprint));
  if (bad !== undefined) {
    return [{ part, words: `"${bad}" is not a SHA-256 fingerprint of 64 hexadecimal digits` }];
  }
  if (protocol === "nuget" && signaturePolicy === "TrustedCerts" && trusted.length === 0) {
    return [{ part, words: "is required with the signature policy TrustedCerts" }];
  }
  if (trusted.length > 0 && signaturePolicy !== "TrustedCerts") {
    return [{ part, words: "has no effect without the signature policy TrustedCerts" }];
  }
  return [];
}

/** Readers of this registry get everything that its credentials open. */
function readerProblems(
  { credentials, type, isEnabled, settings }: PackageSource,
  { isAnonymousPull }: SourceSurroundings,
): readonly SourceProblem[] {
  const isRead = credentials !== undefined && isEnabled && type !== "downstream";
  if (!isRead || !isAnonymousPull || settings.publicThroughHere) return [];
  const words =
    "is not set, the source needs credentials, and Feed__Authentication__AllowAnonymousPull is " +
    "on: without a token, everyone could read its packages from this registry. Disable anonymous " +
    "pulls, or allow this";
  return [{ part: "PublicThroughHere", words }];
}
