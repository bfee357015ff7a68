import type { Protocol } from "@sealhouse/request-types";
import { SOURCE_DEFAULTS } from "./package-source.ts";
import type { PackageSource, SourceCredentials, SourceSettings } from "./package-source.ts";

/** Parts of a source; the others get defaults. */
export type SourceParts = Pick<PackageSource, "name" | "protocol" | "from"> & {
  readonly url: string;
} & Partial<Omit<PackageSource, "name" | "protocol" | "from" | "url" | "settings">> & {
    readonly settings?: Partial<SourceSettings>;
  };

/** Creates a source, with defaults for the parts that are not given. */
export function createSource({ url, settings, ...parts }: SourceParts): PackageSource {
  return {
    type: "upstream",
    priority: 100,
    strategy: "IndexAndCache",
    signaturePolicy: "Resign",
    isEnabled: true,
    ...parts,
    url: sourceUrl(parts.protocol, url),
    settings: { ...SOURCE_DEFAULTS, ...settings },
  };
}

/** The names of Docker Hub, whose registry has another one. */
const DOCKER_HUB = new Set(["docker.io", "index.docker.io", "hub.docker.com"]);

/** The address of a source in one form, so that equal addresses have equal texts. */
export function sourceUrl(protocol: Protocol, text: string): URL {
  const url = new URL(text);
  url.hash = "";
  if (protocol === "oci" && DOCKER_HUB.has(url.hostname)) url.hostname = "registry-1.docker.io";
  if (protocol !== "nuget") url.pathname = url.pathname.replace(/\/+$/, "");
  return url;
}

/** Secrets as settings and options have them. */
export type CredentialTexts = {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

/** Credentials of a source, or the reason why the texts are not such. */
export type CredentialOutcome =
  | { readonly status: "none" }
  | { readonly status: "usable"; readonly credentials: SourceCredentials }
  | { readonly status: "refused"; readonly part: keyof CredentialTexts; readonly words: string };

/** Returns the credentials of a source; half of them, or several kinds, are refused. */
export function credentialsFrom(protocol: Protocol, texts: CredentialTexts): CredentialOutcome {
  const { username, password, apiKey, token, headers = {} } = texts;
  const hasHeaders = Object.keys(headers).length > 0;
  if ((username === undefined) !== (password === undefined)) {
    const part = username === undefined ? "username" : "password";
    const words = `is required together with the ${part === "username" ? "password" : "user name"}`;
    return { status: "refused", part, words };
  }
  const kinds = [username, apiKey, token, hasHeaders ? "" : undefined];
  if (kinds.filter((kind) => kind !== undefined).length > 1) {
    const part = token === undefined ? (apiKey === undefined ? "headers" : "apiKey") : "token";
    return { status: "refused", part, words: "is a second kind of credentials; give only one" };
  }
  if (username !== undefined && password !== undefined) {
    return usable({ type: "basic", username, password });
  }
  if (token !== undefined) return usable({ type: "bearer", token });
  if (apiKey !== undefined) {
    return usable(protocol === "nuget" ? { type: "api-key", key: apiKey } : bearer(apiKey));
  }
  if (!hasHeaders) return { status: "none" };
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return usable({ type: "headers", headers: Object.fromEntries(lower) });
}

function usable(credentials: SourceCredentials): CredentialOutcome {
  return { status: "usable", credentials };
}

function bearer(token: string): SourceCredentials {
  return { type: "bearer", token };
}
