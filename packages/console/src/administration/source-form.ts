import { createHash } from "node:crypto";
import { formatTimeSpan } from "@sealhouse/settings";
import { parseSourceTexts } from "@sealhouse/upstream-sources";
import type {
  CredentialTexts,
  ListedSource,
  PackageSource,
  SourceTexts,
} from "@sealhouse/upstream-sources";
import type { FieldProblem, FormValues } from "../kit/forms/form-fields.ts";
import { CREDENTIALS_FIELD } from "./source-fields.ts";
import type { SourceFieldName } from "./source-fields.ts";

type Values = Partial<Record<SourceFieldName, string>>;
type Fallbacks = Pick<PackageSource, "strategy" | "signaturePolicy">;

/** Result of a form: a source, or the problems of its fields. */
export type SourceFormOutcome =
  | { readonly status: "parsed"; readonly source: PackageSource }
  | { readonly status: "refused"; readonly problems: readonly FieldProblem[] };

/** The values of the form of a new source. */
export function newSourceValues({ strategy }: Fallbacks): URLSearchParams {
  return valuesFrom({
    Protocol: "nuget",
    IsEnabled: "true",
    Type: "upstream",
    Priority: "100",
    CachingStrategy: strategy,
    OnRemoved: "Hide",
    FirstContact: "Allow",
  });
}

/** The values of the form of a stored source, without its credentials. */
export function sourceValues(source: PackageSource): URLSearchParams {
  const { protocol, url, type, priority, surface, strategy, signaturePolicy, settings } = source;
  const { minimumReleaseAgeMs: ageMs, revalidateAfterMs, staleIfErrorMs } = settings;
  return valuesFrom({
    Protocol: protocol,
    FeedUrl: url.href,
    IsEnabled: flag(source.isEnabled),
    Type: type,
    Priority: String(priority),
    Surface: surface ?? "",
    Allow: settings.allow.join("\n"),
    Deny: settings.deny.join("\n"),
    CachingStrategy: strategy,
    SignaturePolicy: protocol === "nuget" ? signaturePolicy : "",
    TrustedCertificates: settings.trustedCertificates.join("\n"),
    OnRemoved: settings.onRemoved,
    FirstContact: settings.firstContact,
    MinimumReleaseAge: ageMs === 0 ? "" : formatTimeSpan(ageMs),
    RevalidateAfter: formatTimeSpan(revalidateAfterMs),
    StaleIfError: formatTimeSpan(staleIfErrorMs),
    Credentials: "keep",
    CredentialOrigins: settings.credentialOrigins.join("\n"),
    TokenRealms: settings.tokenRealms.join("\n"),
    AllowPrivateNetwork: flag(settings.allowPrivateNetwork),
    PublicThroughHere: flag(settings.publicThroughHere),
    CaPath: settings.caPath ?? "",
  });
}

/** Name of the hidden field with the revision of the source that a form is about. */
export const REVISION_FIELD = "revision";

/** Changes with the source; without its credentials, which must not be guessed from it. */
export function revisionOf(source: PackageSource): string {
  const { credentials, ...rest } = source;
  const text = JSON.stringify([rest, credentials?.type]);
  return createHash("sha256").update(text).digest("base64url");
}

/** Parses the form of a new source, or of `before`, which keeps its name. */
export function parseSourceForm(
  form: FormValues,
  fallbacks: Fallbacks,
  before?: ListedSource,
): SourceFormOutcome {
  const credentials = credentialTexts(form);
  const problem =
    before && (revisionProblem(form, before) ?? treatmentProblem(form, credentials, before));
  if (problem) return { status: "refused", problems: [problem] };
  const isKept = valueIn(form, CREDENTIALS_FIELD) === "keep";
  const kept = isKept ? before?.source.credentials : undefined;
  const outcome = parseSourceTexts(
    { ...sourceTexts(form, before?.source.name), credentials, keptCredentials: kept },
    fallbacks,
  );
  if (outcome.status === "refused") {
    return { status: "refused", problems: outcome.problems.map(problemOf) };
  }
  const { source } = outcome;
  const problems = kept && before ? keptProblems(source, before.source) : [];
  return problems.length > 0 ? { status: "refused", problems } : { status: "parsed", source };
}

/** Another administrator may have disabled the source since the page was opened. */
function revisionProblem(form: FormValues, { source }: ListedSource): FieldProblem | undefined {
  if (form.get(REVISION_FIELD) === revisionOf(source)) return undefined;
  const words = "was changed since this page was opened; compare its state, and save again";
  return { name: "Source", words };
}

/** Returns the problem with the choice about stored credentials. */
function treatmentProblem(
  form: FormValues,
  credentials: CredentialTexts,
  { source, isUnreadable }: ListedSource,
): FieldProblem | undefined {
  const treatment = valueIn(form, CREDENTIALS_FIELD);
  const isEntered = Object.values(credentials).some((text) => text !== undefined);
  const problem = (words: string) => ({ name: CREDENTIALS_FIELD, words });
  if (!source.credentials && !isUnreadable) return undefined;
  switch (treatment) {
    case "keep":
      if (isUnreadable) return problem("cannot be kept, because they cannot be decrypted");
      return isEntered
        ? problem('is "Keep", but new ones are entered; choose "Replace"')
        : undefined;
    case "replace":
      return isEntered ? undefined : problem('is "Replace", but none are entered');
    case "remove":
      return undefined;
    default:
      return problem("has no such choice");
  }
}

/** Returns the problem of a part as one of its field. */
export function problemOf({
  part,
  words,
}: {
  readonly part: SourceFieldName;
  readonly words: string;
}): FieldProblem {
  return { name: part, words };
}

/** An administrator may use stored credentials, and must not read them at another address. */
function keptProblems(source: PackageSource, before: PackageSource): readonly FieldProblem[] {
  const added = (list: "credentialOrigins" | "tokenRealms") =>
    source.settings[list].some((origin) => !before.settings[list].includes(origin));
  const isSame =
    source.protocol === before.protocol &&
    source.url.origin === before.url.origin &&
    source.settings.caPath === before.settings.caPath &&
    !added("credentialOrigins") &&
    !added("tokenRealms");
  if (isSame) return [];
  const words =
    "cannot be kept, because the source would send them to another address; enter them again";
  return [{ name: CREDENTIALS_FIELD, words }];
}

function sourceTexts(
  form: FormValues,
  name = valueIn(form, "Name") ?? "",
): Omit<SourceTexts, "credentials"> {
  const text = (field: SourceFieldName) => valueIn(form, field);
  return {
    name,
    protocol: text("Protocol") ?? "",
    url: text("FeedUrl") ?? "",
    type: text("Type"),
    priority: text("Priority"),
    surface: text("Surface"),
    strategy: text("CachingStrategy"),
    signaturePolicy: text("SignaturePolicy"),
    minimumReleaseAge: text("MinimumReleaseAge"),
    revalidateAfter: text("RevalidateAfter"),
    staleIfError: text("StaleIfError"),
    onRemoved: text("OnRemoved"),
    firstContact: text("FirstContact"),
    caPath: text("CaPath"),
    isEnabled: text("IsEnabled") !== undefined,
    lists: {
      allow: wordsIn(form, "Allow"),
      deny: wordsIn(form, "Deny"),
      credentialOrigins: wordsIn(form, "CredentialOrigins"),
      tokenRealms: wordsIn(form, "TokenRealms"),
      trustedCertificates: wordsIn(form, "TrustedCertificates"),
    },
    flags: {
      allowPrivateNetwork: text("AllowPrivateNetwork") !== undefined,
      publicThroughHere: text("PublicThroughHere") !== undefined,
    },
  };
}

function credentialTexts(form: FormValues): CredentialTexts {
  if (valueIn(form, CREDENTIALS_FIELD) === "remove") return {};
  const password = form.get("Password") ?? "";
  const headers = linesIn(form, "Headers").map((line) => {
    const [name = "", ...rest] = line.split(":");
    return [name.trim(), rest.join(":").trim()] as const;
  });
  return {
    username: valueIn(form, "Username"),
    password: password === "" ? undefined : password,
    apiKey: valueIn(form, "ApiKey"),
    token: valueIn(form, "Token"),
    headers: headers.length > 0 ? Object.fromEntries(headers) : undefined,
  };
}

/** Undefined for an empty field. */
function valueIn(form: FormValues, name: SourceFieldName): string | undefined {
  const value = form.get(name)?.trim() ?? "";
  return value === "" ? undefined : value;
}

function linesIn(form: FormValues, name: SourceFieldName): readonly string[] {
  const lines = (form.get(name) ?? "").split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter((line) => line !== "");
}

function wordsIn(form: FormValues, name: SourceFieldName): readonly string[] {
  return linesIn(form, name).flatMap((line) => line.split(/[\s,]+/).filter((word) => word !== ""));
}

function flag(isOn: boolean): string {
  return isOn ? "true" : "";
}

function valuesFrom(values: Values): URLSearchParams {
  return new URLSearchParams(Object.entries(values));
}
