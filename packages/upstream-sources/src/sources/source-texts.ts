import { resolve } from "node:path";
import type { Protocol } from "@sealhouse/request-types";
import { parseTimeSpan } from "@sealhouse/settings";
import { createSource, credentialsFrom } from "./create-source.ts";
import type { CredentialTexts } from "./create-source.ts";
import type { PackageSource, SourceCredentials, SourceSettings } from "./package-source.ts";
import type { SourcePart } from "./source-problems.ts";

/** A part of a source that is written as a text, by the name of its setting. */
export type SourceTextPart =
  | SourcePart
  | "Protocol"
  | "Type"
  | "Priority"
  | "CachingStrategy"
  | "OnRemoved"
  | "FirstContact"
  | "MinimumReleaseAge"
  | "RevalidateAfter"
  | "StaleIfError"
  | "Username"
  | "Password"
  | "ApiKey"
  | "Token"
  | "Headers";

type Text = string | undefined;

/** A source as a person writes it; undefined parts get defaults. */
export type SourceTexts = {
  readonly name: string;
  readonly protocol: string;
  readonly url: string;
  readonly type?: Text;
  readonly priority?: Text;
  readonly surface?: Text;
  readonly strategy?: Text;
  readonly signaturePolicy?: Text;
  readonly minimumReleaseAge?: Text;
  readonly revalidateAfter?: Text;
  readonly staleIfError?: Text;
  readonly onRemoved?: Text;
  readonly firstContact?: Text;
  readonly caPath?: Text;
  readonly isEnabled: boolean;
  readonly credentials: CredentialTexts;
  /** The credentials of a source without credential texts. */
  readonly keptCredentials?: SourceCredentials | undefined;
  /** As in `SourceSettings`; fingerprints may have colons and upper case. */
  readonly lists: Pick<
    SourceSettings,
    "allow" | "deny" | "credentialOrigins" | "tokenRealms" | "trustedCertificates"
  >;
  readonly flags: Pick<SourceSettings, "allowPrivateNetwork" | "publicThroughHere">;
};

/** Reason why a text is not a part of a source. `words` begin with a verb or with the text. */
export type SourceTextProblem = { readonly part: SourceTextPart; readonly words: string };

/** Result of `parseSourceTexts`. */
export type SourceTextsOutcome =
  | { readonly status: "parsed"; readonly source: PackageSource }
  | { readonly status: "refused"; readonly problems: readonly SourceTextProblem[] };

/** Values of a source that are chosen from a list. */
export const SOURCE_CHOICES = {
  Protocol: ["nuget", "npm", "oci"],
  Type: ["upstream", "downstream", "both"],
  CachingStrategy: ["IndexAndCache", "CacheOnly", "ProxyOnly"],
  SignaturePolicy: ["Resign", "Merge", "TrustedCerts"],
  OnRemoved: ["Keep", "Hide", "Deny"],
  FirstContact: ["Allow", "Hold"],
} as const satisfies Partial<Readonly<Record<SourceTextPart, readonly string[]>>>;

type Choices = typeof SOURCE_CHOICES;

const URL_LENGTH_MAX = 2_048;
const SPAN_MAX_MS = 36_500 * 24 * 60 * 60_000;

/** Parses a source that a person adds to the database, for commands and pages. */
export function parseSourceTexts(
  texts: SourceTexts,
  fallbacks: Pick<PackageSource, "strategy" | "signaturePolicy">,
): SourceTextsOutcome {
  const problems: SourceTextProblem[] = [];
  const refuse = (part: SourceTextPart, words: string): undefined => {
    problems.push({ part, words });
    return undefined;
  };
  const choice = <Part extends keyof Choices>(part: Part, text: Text) =>
    text === undefined ? undefined : choiceOf(part, text, refuse);
  const protocol = choiceOf("Protocol", texts.protocol, refuse);
  const url = urlIn(texts.url, refuse);
  if (texts.signaturePolicy !== undefined && protocol && protocol !== "nuget") {
    refuse("SignaturePolicy", "is only for sources of NuGet packages");
  }
  const parts = {
    type: choice("Type", texts.type) ?? "upstream",
    priority: priorityIn(texts.priority, refuse),
    strategy: choice("CachingStrategy", texts.strategy) ?? fallbacks.strategy,
    signaturePolicy: choice("SignaturePolicy", texts.signaturePolicy) ?? fallbacks.signaturePolicy,
    isEnabled: texts.isEnabled,
    ...(texts.surface !== undefined && { surface: texts.surface.toLowerCase() }),
  } as const;
  const settings = {
    ...detailsIn(texts, refuse),
    ...optional("onRemoved", choice("OnRemoved", texts.onRemoved)),
    ...optional("firstContact", choice("FirstContact", texts.firstContact)),
  };
  const credentials = protocol && credentialsIn(protocol, texts, refuse);
  if (problems.length > 0 || !protocol || !url) return { status: "refused", problems };
  const { name } = texts;
  const source = createSource({
    name,
    protocol,
    url: url.href,
    from: "database",
    ...parts,
    ...(credentials && { credentials }),
    settings,
  });
  return { status: "parsed", source };
}

type Refuse = (part: SourceTextPart, words: string) => undefined;

function choiceOf<Part extends keyof Choices>(
  part: Part,
  text: string,
  refuse: Refuse,
): Choices[Part][number] | undefined {
  const values: readonly Choices[Part][number][] = SOURCE_CHOICES[part];
  const value = values.find((one) => one.toLowerCase() === text.toLowerCase());
  if (value !== undefined) return value;
  const what = part === "Protocol" ? "a protocol" : "allowed";
  return refuse(part, `"${text}" is not ${what}; use ${values.join(", ")}`);
}

function urlIn(text: string, refuse: Refuse): URL | undefined {
  const url = text.length > URL_LENGTH_MAX ? null : URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && /^https?:\/\//i.test(text)) return url;
  return refuse("FeedUrl", `"${text.slice(0, 200)}" is not an http or https URL`);
}

function priorityIn(text: Text, refuse: Refuse): number {
  if (text === undefined) return 100;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  return refuse("Priority", `"${text}" is not a whole number from 0 to 999999`) ?? 0;
}

function detailsIn(texts: SourceTexts, refuse: Refuse): Partial<SourceSettings> {
  const { lists, flags, caPath } = texts;
  const span = (part: SourceTextPart, text: Text) => {
    const ms = text === undefined ? undefined : parseTimeSpan(text);
    if (text === undefined || (ms !== undefined && ms >= 0 && ms <= SPAN_MAX_MS)) return ms;
    return refuse(part, `"${text}" is not a time span such as 7.00:00:00`);
  };
  return {
    ...lists,
    trustedCertificates: lists.trustedCertificates.map((text) =>
      text.replaceAll(":", "").toLowerCase(),
    ),
    ...flags,
    ...optional("minimumReleaseAgeMs", span("MinimumReleaseAge", texts.minimumReleaseAge)),
    ...optional("revalidateAfterMs", span("RevalidateAfter", texts.revalidateAfter)),
    ...optional("staleIfErrorMs", span("StaleIfError", texts.staleIfError)),
    ...optional("caPath", caPath === undefined ? undefined : resolve(caPath)),
  };
}

const CREDENTIAL_PARTS = {
  username: "Username",
  password: "Password",
  apiKey: "ApiKey",
  token: "Token",
  headers: "Headers",
} as const satisfies Readonly<Record<keyof CredentialTexts, SourceTextPart>>;

/** Characters of a header: without spaces in an API key or a token. */
const KEY = /^[\x21-\x7e]+$/;
const HEADER_NAME = /^[A-Za-z0-9-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]+$/;

function credentialsIn(
  protocol: Protocol,
  { credentials: texts, keptCredentials }: SourceTexts,
  refuse: Refuse,
): SourceCredentials | undefined {
  for (const part of ["apiKey", "token"] as const) {
    if (texts[part] !== undefined && !KEY.test(texts[part])) {
      return refuse(CREDENTIAL_PARTS[part], "has spaces or characters other than ASCII");
    }
  }
  const bad = Object.entries(texts.headers ?? {}).find(
    ([name, value]) => !HEADER_NAME.test(name) || !HEADER_VALUE.test(value),
  );
  if (bad) return refuse("Headers", `"${bad[0]}" is not a header with a value`);
  const outcome = credentialsFrom(protocol, texts);
  if (outcome.status === "refused") return refuse(CREDENTIAL_PARTS[outcome.part], outcome.words);
  return outcome.status === "usable" ? outcome.credentials : keptCredentials;
}

function optional<const Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}
