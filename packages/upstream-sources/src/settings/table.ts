import type { SettingsTable } from "@sealhouse/settings";
import {
  REGISTRY_FIELDS,
  SIGNATURE_POLICY,
  SOURCE_FIELDS,
  SOURCE_SECRETS,
  STRATEGY,
} from "./source-fields.ts";

const SECOND_MS = 1000;

const REGISTRIES = {
  type: "sections",
  fields: REGISTRY_FIELDS,
  secrets: SOURCE_SECRETS,
} as const;

/** Settings of package sources, of mirrors, and of search in sources. */
export const UPSTREAM_SETTINGS = {
  PackageSources: {
    kind: { type: "sections", fields: SOURCE_FIELDS, secrets: SOURCE_SECRETS },
    otherwise: "none; nothing is mirrored",
    about:
      "Registries that packages come from when a client asks for them. `Name`, `Protocol` and " +
      "`FeedUrl` are required. Sources in the database replace all of these. See `upstream.md`.",
  },
  Mirror__Enabled: {
    kind: { type: "boolean" },
    otherwise: "enabled when there is a source",
    about: "`false` disables all sources, those in the database too.",
  },
  Mirror__Offline: {
    kind: { type: "boolean" },
    fallback: "false",
    about: "Never calls a source, and serves the kept documents and files.",
  },
  Mirror__MaxAbsentNamesPerNetwork: {
    kind: { type: "integer", min: 1, max: 1_000_000_000 },
    fallback: "1000",
    about:
      "Calls to sources for names that no source has, which the anonymous requests of one " +
      "network may cause at once; restored within ten minutes. More get 429. An IPv6 network " +
      "is a /64; a /56 may cause four times as many, and a /48 sixteen times.",
  },
  Mirror__FastLaneAdvisories: {
    kind: { type: "list", of: { type: "text" } },
    otherwise: "none: every version waits",
    about:
      "Names of `Feed__Vulnerabilities__Sources`. A version that fixes an advisory of these " +
      "sources does not wait for `MinimumReleaseAge`; see [rules](policies.md#fast-lane).",
  },
  Mirror__NuGetConfigPath: {
    kind: { type: "path" },
    otherwise: "none",
    about:
      "A NuGet.config whose package sources are added, with their credentials and their mapping " +
      "of ids to sources. Encrypted passwords are skipped with a warning.",
  },
  Mirror__DefaultSignaturePolicy: {
    kind: SIGNATURE_POLICY,
    fallback: "Resign",
    about: "`SignaturePolicy` of sources that set none.",
  },
  Mirror__DefaultCachingStrategy: {
    kind: STRATEGY,
    fallback: "IndexAndCache",
    about: "`CachingStrategy` of sources that set none.",
  },
  Mirror__PackageSource: {
    kind: { type: "url" },
    otherwise: "none",
    about: "Service index of a NuGet source, as hosts for .NET configure it.",
  },
  Mirror__PackageDownloadTimeoutSeconds: {
    kind: { type: "integer", min: 1, max: 3600 },
    otherwise: "`15`",
    about: "Seconds within which `Mirror__PackageSource` must begin an answer.",
  },
  Mirror__Legacy: {
    kind: { type: "boolean" },
    fallback: "false",
    about: "NuGet v2 feeds are not supported; only `false` is allowed.",
  },
  Mirror__Authentication__Type: {
    kind: { type: "choice", values: ["None", "Basic", "Bearer", "Custom"] },
    fallback: "None",
    about: "How this host signs in at `Mirror__PackageSource`.",
  },
  Mirror__Authentication__Username: {
    kind: { type: "text" },
    about: "User name for the type `Basic`.",
  },
  Mirror__Authentication__Password: {
    kind: { type: "text" },
    secret: true,
    about: "Password for the type `Basic`.",
  },
  Mirror__Authentication__Token: {
    kind: { type: "text" },
    secret: true,
    about: "Token for the type `Bearer`.",
  },
  Mirror__Authentication__CustomHeaders: {
    kind: { type: "named" },
    secret: true,
    otherwise: "none",
    about: "Headers for the type `Custom`, by name.",
  },
  Feed__Npm__Mirror__RegistryUrl: {
    kind: { type: "url" },
    otherwise: "none",
    about: "The npm registry that packages come from. For several, set `Registries`.",
  },
  Feed__Npm__Mirror__Registries: {
    kind: REGISTRIES,
    otherwise: "none",
    about: "npm registries that packages come from; lower priorities are asked first.",
  },
  Feed__Npm__Mirror__CachingStrategy: {
    kind: STRATEGY,
    otherwise: "`Mirror__DefaultCachingStrategy`",
    about: "`CachingStrategy` of the registries below `Feed__Npm__Mirror`.",
  },
  Feed__Oci__Mirror__Registries: {
    kind: REGISTRIES,
    otherwise: "none",
    about: "Registries that images outside of segments come from.",
  },
  Feed__Oci__Mirror__CachingStrategy: {
    kind: STRATEGY,
    otherwise: "`Mirror__DefaultCachingStrategy`",
    about: "`CachingStrategy` of the registries below `Feed__Oci__Mirror`.",
  },
  "Feed__Oci__*__Mirror__Registries": {
    kind: REGISTRIES,
    otherwise: "none",
    about: "Registries that the images of a segment, or of `Default`, come from.",
  },
  "Feed__Oci__*__Mirror__CachingStrategy": {
    kind: STRATEGY,
    otherwise: "`Mirror__DefaultCachingStrategy`",
    about: "`CachingStrategy` of the registries of a segment, or of `Default`.",
  },
  LocalCache__Enabled: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Takes NuGet packages of sources from a global-packages folder of this machine where it " +
      "has them. See [NuGet sources](upstream-nuget.md#local-cache).",
  },
  LocalCache__Path: {
    kind: { type: "path" },
    otherwise: "`NUGET_PACKAGES`, or `.nuget/packages` in the home folder",
    about: "The global-packages folder.",
  },
  NUGET_PACKAGES: {
    kind: { type: "path" },
    otherwise: "none",
    about:
      "The global-packages folder of NuGet's clients. Used where `LocalCache__Path` is not set.",
  },
  LocalCache__CopyToFeedStorage: {
    kind: { type: "boolean" },
    fallback: "true",
    about:
      "Stores packages of the folder like those that are fetched. With `false`, they are served " +
      "unchanged, and only while the folder has them.",
  },
  Search__EnableUpstreamSearch: {
    kind: { type: "boolean" },
    fallback: "false",
    about: "Searches in the sources, too. They get the words of each search.",
  },
  Search__UpstreamSearchTimeout: {
    kind: { type: "time-span", minMs: 100, maxMs: 60 * SECOND_MS },
    fallback: "00:00:02",
    about: "Time after which a search continues without the answers of slow sources.",
  },
  Search__MergeStrategy: {
    kind: { type: "choice", values: ["LocalPreferred", "Deduplicate", "Union"] },
    fallback: "LocalPreferred",
    about:
      "Order of results: `LocalPreferred` has the packages of this host first, `Deduplicate` " +
      "mixes them and shows each name once, `Union` shows the results of each source.",
  },
  Search__IncludeMirroredPackages: {
    kind: { type: "boolean" },
    fallback: "true",
    about:
      "Shows packages that were fetched from sources with `IndexAndCache` in searches of NuGet " +
      "and npm.",
  },
} as const satisfies SettingsTable;
