import type { SettingsTable } from "@sealhouse/settings";

const SECOND_MS = 1000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

/** Settings of the sources of advisories. */
export const ADVISORY_SETTINGS = {
  Feed__Vulnerabilities__Sources: {
    kind: {
      type: "sections",
      fields: { Name: { type: "text" }, Path: { type: "path" }, Url: { type: "url" } },
    },
    otherwise: "none: the registry reports no vulnerabilities",
    about:
      "Where advisories about NuGet and npm packages come from: a `Name` of your choice, and a " +
      "folder or file of OSV documents (`Path`) or the address of some, of a NuGet vulnerability " +
      "index or of a NuGet feed (`Url`).",
  },
  Feed__Vulnerabilities__RefreshInterval: {
    kind: { type: "time-span", minMs: 60 * SECOND_MS, maxMs: 30 * DAY_MS },
    otherwise: "every six hours",
    about: "Interval between reads of the advisory sources.",
  },
  Feed__NuGet__Vulnerabilities__Sources: {
    kind: {
      type: "sections",
      fields: { Name: { type: "text" }, Path: { type: "path" }, Url: { type: "url" } },
    },
    otherwise: "none",
    about: "More of `Feed__Vulnerabilities__Sources`, under the name they had first.",
  },
  Feed__NuGet__Vulnerabilities__RefreshInterval: {
    kind: { type: "time-span", minMs: 60 * SECOND_MS, maxMs: 30 * DAY_MS },
    fallback: "06:00:00",
    about: "The former name of `Feed__Vulnerabilities__RefreshInterval`, which counts before it.",
  },
} as const satisfies SettingsTable;
