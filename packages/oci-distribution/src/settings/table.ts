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
      "How long an OCI upload may stand still before it is gone; its bytes are removed within an " +
      "hour.",
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
      },
    },
    otherwise: "the default surface alone",
    about:
      "Segments of the OCI registry: `{name}` owns all repositories below `{name}/`, also at " +
      "`/{name}/v2/`. At a host name of its own it is at the root, alone; that needs " +
      "`Feed__PublicBaseUrl`.",
  },
  Feed__Oci__TokenLifetime: {
    kind: { type: "time-span", minMs: 60 * SECOND_MS, maxMs: 3_600 * SECOND_MS },
    fallback: "00:10:00",
    about: "How long the bearer tokens last that container clients fetch at `/token`.",
  },
  Feed__Oci__Default__MaxBlobBytes: {
    kind: { type: "integer", min: 1024, max: Number.MAX_SAFE_INTEGER },
    otherwise: "no limit of its own",
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
    otherwise: "none; tags may be moved and deleted, and stay until they are",
    about:
      "Rules about tags of container images: which are immutable, and which stay when retention " +
      "runs. `Repositories` and `Tags` say by patterns, as tokens have them, what a rule is " +
      "about (default: all). See `oci.md`.",
  },
  Feed__Operations__OciGarbageCollection__Enabled: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Collects what no tag of a container image leads to, on a schedule. See `oci.md`; " +
      "`sealhouse oci gc` does so at any time.",
  },
  Feed__Operations__OciGarbageCollection__DryRun: {
    kind: { type: "boolean" },
    fallback: "true",
    about: "Only reports what would be collected.",
  },
  Feed__Operations__OciGarbageCollection__Interval: {
    kind: { type: "time-span", minMs: 60 * SECOND_MS, maxMs: 365 * DAY_MS },
    fallback: "1.00:00:00",
    about: "How long after one collection the next begins.",
  },
  Feed__Operations__OciGarbageCollection__MinimumAge: {
    kind: { type: "time-span", minMs: 60 * 60 * SECOND_MS, maxMs: 3_650 * DAY_MS },
    fallback: "1.00:00:00",
    about:
      "What was pushed, pulled, asked for or lost its tag less than this ago is never collected. " +
      "Longer than the longest push takes.",
  },
  Feed__Operations__OciGarbageCollection__KeepUntaggedManifests: {
    kind: { type: "time-span", minMs: -DAY_MS, maxMs: 36_500 * DAY_MS },
    fallback: "00:00:00",
    about:
      "How long after its last use a manifest without a tag stays, for deployments that are " +
      "pinned by digest; `00:00:00` is the minimum age alone, `-1` for ever.",
  },
  Feed__Operations__OciRetention__Enabled: {
    kind: { type: "boolean" },
    fallback: "false",
    about: "Applies the rules of `Feed__Oci__TagRules` that say what to keep, on a schedule.",
  },
  Feed__Operations__OciRetention__DryRun: {
    kind: { type: "boolean" },
    fallback: "true",
    about: "Only logs which tags would go.",
  },
  Feed__Operations__OciRetention__Interval: {
    kind: { type: "time-span", minMs: 60 * SECOND_MS, maxMs: 365 * DAY_MS },
    fallback: "1.00:00:00",
    about: "How long after one run of the retention of tags the next begins.",
  },
} as const satisfies SettingsTable;
