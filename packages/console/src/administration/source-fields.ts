import { SOURCE_CHOICES } from "@sealhouse/upstream-sources";
import type { SourceTextPart } from "@sealhouse/upstream-sources";
import type { Choice, FormField } from "../kit/forms/form-fields.ts";
import { PROTOCOL_CHOICES } from "../kit/forms/form-fields.ts";

/** Name of a field: the part of the source, and what happens with stored credentials. */
export type SourceFieldName = SourceTextPart | "IsEnabled" | typeof CREDENTIALS_FIELD;

/** Name of the field that decides about stored credentials. */
export const CREDENTIALS_FIELD = "Credentials";

type SourceField = FormField & { readonly name: SourceFieldName };

/** Fields of one part of the form. */
export type FieldGroup = { readonly legend: string; readonly fields: readonly SourceField[] };

const PATTERNS = "One pattern per line: Acme.*, @acme/*, team/**.";
const SPAN = "Days and time: 7.00:00:00, 00:30:00.";

const ADDRESS: readonly SourceField[] = [
  {
    name: "Name",
    label: "Name",
    kind: "text",
    isRequired: true,
    lengthMax: 64,
    help: "Up to 64 letters, digits and . _ -",
  },
  {
    name: "Protocol",
    label: "Protocol",
    kind: { choices: PROTOCOL_CHOICES },
  },
  {
    name: "FeedUrl",
    label: "URL",
    kind: "url",
    isRequired: true,
    help: "The service index, the npm registry or the image registry.",
  },
  {
    name: "Type",
    label: "Type",
    kind: { choices: choicesOf("Type") },
    help: "Packages come from an upstream source, and go to a downstream source.",
  },
  {
    name: "Priority",
    label: "Priority",
    kind: "text",
    lengthMax: 6,
    help: "Lower numbers are asked first. Default: 100.",
  },
  {
    name: "Surface",
    label: "Segment",
    kind: "text",
    lengthMax: 64,
    help: "Images: one segment, or default for all repositories outside of segments.",
  },
  { name: "IsEnabled", label: "Use this source", kind: "checkbox" },
];

const NAMES: readonly SourceField[] = [
  { name: "Allow", label: "Only these names", kind: "lines", help: PATTERNS },
  { name: "Deny", label: "Never these names", kind: "lines", help: PATTERNS },
];

const CONTENT: readonly SourceField[] = [
  {
    name: "CachingStrategy",
    label: "Strategy",
    kind: { choices: choicesOf("CachingStrategy") },
    help: "CacheOnly hides fetched packages from search. ProxyOnly keeps documents only.",
  },
  {
    name: "SignaturePolicy",
    label: "Signature policy",
    kind: { choices: [{ value: "", text: "Default" }, ...choicesOf("SignaturePolicy")] },
    help: "For NuGet only.",
  },
  {
    name: "TrustedCertificates",
    label: "Trusted certificates",
    kind: "lines",
    help: "SHA-256 fingerprints for the signature policy TrustedCerts, one per line.",
  },
  {
    name: "OnRemoved",
    label: "Versions that the source removed",
    kind: { choices: choicesOf("OnRemoved") },
  },
];

const TIMES: readonly SourceField[] = [
  {
    name: "MinimumReleaseAge",
    label: "Minimum release age",
    kind: "text",
    help: `Younger versions are held back. ${SPAN}`,
  },
  {
    name: "FirstContact",
    label: "Young images of new tags",
    kind: { choices: choicesOf("FirstContact") },
  },
  {
    name: "RevalidateAfter",
    label: "Revalidate after",
    kind: "text",
    help: `Age at which a stored document is compared with the source. ${SPAN}`,
  },
  {
    name: "StaleIfError",
    label: "Serve in an outage for",
    kind: "text",
    help: `Time for which stored documents are served while the source fails. ${SPAN}`,
  },
];

const NETWORK: readonly SourceField[] = [
  {
    name: "AllowPrivateNetwork",
    label: "The source is in a private network",
    kind: "checkbox",
  },
  {
    name: "PublicThroughHere",
    label: "Readers without a token may get its packages",
    kind: "checkbox",
  },
  {
    name: "CaPath",
    label: "File with certificate authorities",
    kind: "text",
    help: "Path of a PEM file on the machine of the registry.",
  },
];

const CREDENTIALS: readonly SourceField[] = [
  { name: "Username", label: "User name", kind: "text" },
  { name: "Password", label: "Password", kind: "password" },
  { name: "Token", label: "Bearer token", kind: "password" },
  { name: "ApiKey", label: "API key", kind: "password" },
  {
    name: "Headers",
    label: "Secret headers",
    kind: "lines",
    help: "One header per line: X-Api-Key: value.",
  },
  {
    name: "CredentialOrigins",
    label: "Further origins that get the credentials",
    kind: "lines",
    help: "One origin per line: https://files.example.",
  },
  {
    name: "TokenRealms",
    label: "Token services that get the credentials",
    kind: "lines",
    help: "Images: one origin per line, such as https://auth.example.",
  },
];

/** Returns the fields of a new source, or of the source whose credentials are stored. */
export function sourceFieldGroups(before?: {
  readonly hasCredentials: boolean;
}): readonly FieldGroup[] {
  const address = before ? ADDRESS.filter(({ name }) => name !== "Name") : ADDRESS;
  const credentials = before?.hasCredentials ? [KEEP, ...CREDENTIALS] : CREDENTIALS;
  return [
    { legend: "Source", fields: address },
    { legend: "Names", fields: NAMES },
    { legend: "Versions", fields: [...TIMES.slice(0, 2), ...CONTENT] },
    { legend: "Credentials", fields: credentials },
    { legend: "Network and storage", fields: [...NETWORK, ...TIMES.slice(2)] },
  ];
}

const KEEP: SourceField = {
  name: CREDENTIALS_FIELD,
  label: "Stored credentials",
  kind: {
    choices: [
      { value: "keep", text: "Keep" },
      { value: "replace", text: "Replace with those below" },
      { value: "remove", text: "Remove" },
    ],
  },
  help: "Stored credentials are never shown. Enter them again after a change of the address.",
};

function choicesOf(part: keyof typeof SOURCE_CHOICES): readonly Choice[] {
  return SOURCE_CHOICES[part].map((value) => ({ value, text: value }));
}
