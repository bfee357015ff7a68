import { readFile } from "node:fs/promises";
import { hostKind } from "@sealhouse/http-responses/outgoing";
import { TARGET_NAME } from "../model/publish-target.ts";
import type { LentCredentials, PublishTarget } from "../model/publish-target.ts";

/** A part of a target, by the name of its option. */
export type TargetPart =
  | "name"
  | "endpoint"
  | "token"
  | "username"
  | "lend"
  | "allowed-origin"
  | "publish"
  | "nuget-content"
  | "immutable-tags"
  | "ca";

/** Reason why a target cannot be used. */
export type TargetProblem = {
  readonly part: TargetPart;
  /** Begins with a verb: `is not …`. */
  readonly words: string;
};

/** Returns the reasons why a target cannot be used. */
export function targetProblems(
  target: PublishTarget,
  surroundings: { readonly ownOrigins: readonly string[] },
): readonly TargetProblem[] {
  return [
    ...nameProblems(target),
    ...endpointProblems(target, surroundings.ownOrigins),
    ...credentialProblems(target),
    ...optionProblems(target),
  ];
}

/** Reads the file with the certificate authorities of a target, and returns why it is unusable. */
export async function authoritiesProblems({
  options: { caPath },
}: PublishTarget): Promise<readonly TargetProblem[]> {
  if (caPath === undefined) return [];
  try {
    const text = await readFile(caPath, "utf8");
    if (text.includes("-----BEGIN CERTIFICATE-----")) return [];
    return [{ part: "ca", words: "has no PEM certificate" }];
  } catch (error) {
    return [{ part: "ca", words: `cannot be read: ${(error as Error).message}` }];
  }
}

function nameProblems({ name }: PublishTarget): readonly TargetProblem[] {
  if (TARGET_NAME.test(name)) return [];
  return [{ part: "name", words: "is not allowed; allowed: up to 64 letters, digits and . _ -" }];
}

function endpointProblems(
  { protocol, endpoint, options }: PublishTarget,
  ownOrigins: readonly string[],
): readonly TargetProblem[] {
  const part = "endpoint";
  if (endpoint.protocol !== "http:" && endpoint.protocol !== "https:") {
    return [{ part, words: "is not an http or https URL" }];
  }
  if (endpoint.username !== "" || endpoint.password !== "") {
    return [{ part, words: "has credentials in the URL; give them as a token" }];
  }
  if (hostKind(endpoint) === "metadata") {
    return [{ part, words: "is an address of a cloud's metadata service" }];
  }
  if (ownOrigins.includes(endpoint.origin)) {
    return [{ part, words: "is an address of this registry" }];
  }
  if (protocol === "oci" && /^\/v2(?:\/|$)/.test(endpoint.pathname)) {
    return [{ part, words: "has /v2; give the registry or namespace without it" }];
  }
  if (protocol === "oci" && endpoint.search !== "") {
    return [{ part, words: "has a query, which registries of images do not have" }];
  }
  if (options.caPath !== undefined && endpoint.protocol === "http:") {
    return [{ part: "ca", words: "has no effect on an http URL" }];
  }
  return [];
}

function credentialProblems({ protocol, credentials }: PublishTarget): readonly TargetProblem[] {
  if (credentials?.type === "api-key" && protocol !== "nuget") {
    return [{ part: "token", words: "is an API key, which only NuGet feeds take" }];
  }
  if (credentials?.type === "lent" && credentials.kind === "id-token") {
    return idTokenProblems(protocol, credentials);
  }
  const username =
    credentials?.type === "basic" || credentials?.type === "lent"
      ? credentials.username
      : undefined;
  if (username?.includes(":")) return [{ part: "username", words: "has a colon" }];
  return [];
}

function idTokenProblems(
  protocol: PublishTarget["protocol"],
  { username }: LentCredentials,
): readonly TargetProblem[] {
  if (protocol === "oci") {
    return [{ part: "lend", words: "is id-token, which registries of images do not take" }];
  }
  if (protocol === "nuget" && username === undefined) {
    return [{ part: "username", words: "is missing: the account of the packages at the feed" }];
  }
  if (protocol === "npm" && username !== undefined) {
    return [{ part: "username", words: "has no effect on ID tokens of npm registries" }];
  }
  return [];
}

function optionProblems({ protocol, options }: PublishTarget): readonly TargetProblem[] {
  const problems: TargetProblem[] = [];
  if (options.publish === "stage" && protocol !== "npm") {
    problems.push({ part: "publish", words: "is stage, which only npm registries have" });
  }
  if (options.nugetContent === "Sealed" && protocol !== "nuget") {
    problems.push({ part: "nuget-content", words: "is only for NuGet feeds" });
  }
  if (options.immutableTags && protocol !== "oci") {
    problems.push({ part: "immutable-tags", words: "is only for registries of images" });
  }
  const bad = options.allowedOrigins.find((origin) => !isOrigin(origin));
  if (bad !== undefined) {
    const words = `"${bad}" is not an origin, such as https://auth.example`;
    problems.push({ part: "allowed-origin", words });
  }
  return problems;
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && text.startsWith("http");
}
