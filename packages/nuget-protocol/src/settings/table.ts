import type { SettingsTable } from "@sealhouse/settings";

/** Settings of the NuGet feed. */
export const NUGET_SETTINGS = {
  Feed__NuGet__MaxPackageBytes: {
    kind: { type: "integer", min: 1024, max: Number.MAX_SAFE_INTEGER },
    otherwise: "no separate limit",
    about: "Largest NuGet package that is accepted, in bytes.",
  },
  Feed__NuGet__ReportAbuseUrl: {
    kind: { type: "url" },
    otherwise: "none; Visual Studio then links to the public gallery",
    about:
      "Where NuGet clients send people who report a package; `{id}` and `{version}` are replaced.",
  },
  IsReadOnlyMode: {
    kind: { type: "boolean" },
    fallback: "false",
    about: "Refuses every change of the NuGet feed with 405: push, delete, relist, deprecate.",
  },
  AllowPackageOverwrites: {
    kind: { type: "choice", values: ["false", "true", "PrereleaseOnly"] },
    fallback: "false",
    about: "Which NuGet versions a push may give other bytes once they are there.",
  },
  PackageDeletionBehavior: {
    kind: { type: "choice", values: ["Unlist", "HardDelete"] },
    fallback: "Unlist",
    about:
      "What deleting a NuGet version means: hidden from search and still restorable, or gone " +
      "for good.",
  },
} as const satisfies SettingsTable;
