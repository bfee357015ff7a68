import type { SettingsTable } from "@sealhouse/settings";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The settings below `Feed__Npm`. */
export const NPM_SETTINGS = {
  Feed__Npm__Enabled: {
    kind: { type: "boolean" },
    fallback: "false",
    about: "Serves the npm registry under `/npm`.",
  },
  Feed__Npm__HostNames: {
    kind: { type: "list", of: { type: "host-name" } },
    otherwise: "none",
    about:
      "Host names that are npm's own, with the registry at their root; nothing else is served " +
      "there. Needs `Feed__PublicBaseUrl`.",
  },
  Feed__Npm__MaxTarballBytes: {
    kind: { type: "integer", min: 1024, max: Number.MAX_SAFE_INTEGER },
    otherwise: "no separate limit",
    about: "Largest npm tarball that is accepted, in bytes.",
  },
  Feed__Npm__UnpublishWithin: {
    kind: { type: "time-span", minMs: 0, maxMs: 36_500 * DAY_MS },
    fallback: "3.00:00:00",
    about:
      "How long after its publish an npm version may be unpublished with the scope `delete`; " +
      "later that takes the scope `admin`.",
  },
  Feed__Npm__Stage__KeepFor: {
    kind: { type: "time-span", minMs: 60_000, maxMs: 3_650 * DAY_MS },
    fallback: "30.00:00:00",
    about: "How long an npm version that was staged waits for its approval; then it is removed.",
  },
  Feed__Npm__Stage__MaxPerPackage: {
    kind: { type: "integer", min: 1, max: 10_000 },
    fallback: "100",
    about: "How many versions of one npm package may be staged at a time.",
  },
  Feed__Npm__Signatures__Enabled: {
    kind: { type: "boolean" },
    fallback: "true",
    about:
      "Signs every npm version with a key of the registry's own, for `npm audit signatures`; the " +
      "same on all instances of one feed.",
  },
  Feed__Npm__Provenance__TrustedRoot: {
    kind: { type: "path" },
    otherwise: "only what a statement says is compared with the package",
    about:
      "File `trusted_root.json` of Sigstore, or of another instance: the provenance " +
      "statements of npm packages are verified against it when they are published.",
  },
  Feed__Npm__WebLogin__Enabled: {
    kind: { type: "boolean" },
    fallback: "true",
    about:
      "Lets `npm login` wait until an operator agrees with `sealhouse npm login <code>`; without " +
      "it clients ask for a password, which is a token.",
  },
  Feed__Npm__StepUp__Enabled: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Lets an operator confirm with `sealhouse npm confirm` what a stolen token must not be " +
      "enough for: making tokens, releasing staged versions, changing who is trusted to publish.",
  },
} as const satisfies SettingsTable;
