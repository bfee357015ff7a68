import type { SettingsTable } from "@sealhouse/settings";

const SECOND_MS = 1000;
const HOUR_MS = 60 * 60 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;

/** The settings of the OCI registry: below `Feed__Oci`, and of its upkeep. */
export const OCI_SETTINGS = {
  Feed__Oci__UploadExpiry: {
    kind: { type: "time-span", minMs: SECOND_MS, maxMs: 365 * DAY_MS },
    fallback: "1.00:00:00",
    about:
      "Time without activity after which an OCI upload session expires. Its data is deleted " +
      "within an hour.",
  },
  Feed__Oci__Default__Enabled: {
    kind: { type: "boolean" },
    fallback: "false",
    about: "Serves the OCI registry under `/v2`.",
  },
  Feed__Oci: {
    kind: {
      type: "named-sections",
      fields: {
        Enabled: { type: "boolean" },
        HostNames: { type: "list", of: { type: "host-name" } },
        IncludeMirroredInCatalog: { type: "boolean" },
        PlatformPolicy__AllowedOs: { type: "list", of: { type: "text" } },
      },
    },
    otherwise: "the default surface alone",
    about:
      "Segments of the OCI registry: `{name}` owns all repositories below `{name}/` and also " +
      "serves them at `/{name}/v2/`. At each of its `HostNames` it serves only them, at the " +
      "root; that needs `Feed__PublicBaseUrl`. The other fields are as those of " +
      "`Feed__Oci__Default`.",
  },
  Feed__Oci__Default__IncludeMirroredInCatalog: {
    kind: { type: "boolean" },
    fallback: "false",
    about: "Lists mirrored repositories in `/v2/_catalog`, too.",
  },
  Feed__Oci__Default__PlatformPolicy__AllowedOs: {
    kind: { type: "list", of: { type: "text" } },
    otherwise: "all",
    about:
      "Operating systems of mirrored images, such as `linux`. The images for others that a " +
      "mirrored index lists are answered with 404. The index itself never changes.",
  },
  Feed__Oci__AllowSparseIndexes: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Accepts a pushed index although some of the images that it lists are not in the " +
      "repository. Indexes of mirrored repositories are always accepted.",
  },
  Feed__Oci__TokenLifetime: {
    kind: { type: "time-span", minMs: 60 * SECOND_MS, maxMs: 3_600 * SECOND_MS },
    fallback: "00:10:00",
    about: "Lifetime of the bearer tokens that container clients get from `/token`.",
  },
  Feed__Oci__Default__MaxBlobBytes: {
    kind: { type: "integer", min: 1024, max: Number.MAX_SAFE_INTEGER },
    otherwise: "no separate limit",
    about: "Largest OCI blob that is accepted, in bytes.",
  },
  Feed__Oci__TagRules: {
    kind: {
      type: "sections",
      fields: {
        Name: { type: "text" },
        Repositories: { type: "text" },
        Tags: { type: "text" },
        Immutable: { type: "boolean" },
        KeepNewest: { type: "integer", min: 1, max: 1_000_000 },
        KeepPushedWithin: { type: "time-span", minMs: 0, maxMs: 36_500 * DAY_MS },
        KeepPulledWithin: { type: "time-span", minMs: 0, maxMs: 36_500 * DAY_MS },
        KeepTags: { type: "text" },
        KeepUntagged: { type: "time-span", minMs: -DAY_MS, maxMs: 36_500 * DAY_MS },
      },
    },
    otherwise: "none; every tag can be moved and deleted, and retention deletes no tag",
    about:
      "Rules for tags of container images: which are immutable, and which retention keeps. " +
      "`Repositories` and `Tags` are patterns, as in tokens, that select what a rule applies " +
      "to (default: all). See `oci.md`.",
  },
  Feed__Operations__OciGarbageCollection__Enabled: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Deletes images and blobs that no tag references, on a schedule. See `oci.md`; " +
      "`sealhouse oci gc` does the same on demand.",
  },
  Feed__Operations__OciGarbageCollection__DryRun: {
    kind: { type: "boolean" },
    fallback: "true",
    about: "Only reports what it would delete.",
  },
  Feed__Operations__OciGarbageCollection__Interval: {
    kind: { type: "time-span", minMs: 60 * SECOND_MS, maxMs: 365 * DAY_MS },
    fallback: "1.00:00:00",
    about: "Time between the end of one collection and the start of the next.",
  },
  Feed__Operations__OciGarbageCollection__MinimumAge: {
    kind: { type: "time-span", minMs: 60 * 60 * SECOND_MS, maxMs: 3_650 * DAY_MS },
    fallback: "1.00:00:00",
    about:
      "Keeps everything that was pushed, pulled, requested or untagged within this time. " +
      "Set it longer than the longest push takes.",
  },
  Feed__Operations__OciGarbageCollection__KeepUntaggedManifests: {
    kind: { type: "time-span", minMs: -DAY_MS, maxMs: 36_500 * DAY_MS },
    fallback: "00:00:00",
    about:
      "Keeps untagged manifests for this time after their last use, for deployments that pin " +
      "digests. `00:00:00` applies only the minimum age; `-1` keeps them forever.",
  },
  Feed__Operations__OciRetention__Enabled: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Deletes tags on a schedule, by the rules of `Feed__Oci__TagRules` that name tags to keep.",
  },
  Feed__Operations__OciRetention__DryRun: {
    kind: { type: "boolean" },
    fallback: "true",
    about: "Only logs which tags it would delete.",
  },
  Feed__Operations__OciRetention__Interval: {
    kind: { type: "time-span", minMs: 60 * SECOND_MS, maxMs: 365 * DAY_MS },
    fallback: "1.00:00:00",
    about: "Time between the end of one tag retention run and the start of the next.",
  },
} as const satisfies SettingsTable;
