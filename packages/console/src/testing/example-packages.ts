import type { PackageHit, PackagePage } from "../nuget/model.ts";
import type { Site, VersionHistory, VersionLine } from "../kit/page/model.ts";
import type { PackagesPorts } from "../nuget/packages-app.ts";
import { VERSIONS_PER_PAGE } from "../kit/packages/versions-card.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const DAY_MS = 24 * 3_600 * 1_000;
const README = `# Acme.Core

[![build](https://ci.example/badge.svg)](https://ci.example/acme) ![stars](https://a.example/s.png)

Small building blocks for everything **Acme**. See https://acme.example/docs.

- [Getting started](#getting-started)
- [More](docs/more.md)

## Getting started

\`\`\`csharp
var client = new AcmeClient(new Uri("https://acme.example"), TimeSpan.FromSeconds(30));
await client.SendAsync(message, cancellationToken);
\`\`\`

| option | default | what it does |
| --- | --- | --- |
| \`Retries\` | 3 | how often a call is tried again |
| \`Timeout\` | 30 s | when a call is given up |

> Needs a licence key in production.
`;

export function exampleSite(fields: Partial<Site> = {}): Site {
  return {
    name: "Sealhouse",
    version: "0.1.0",
    address: "http://localhost:8080",
    now: NOW,
    anonymousRead: true,
    command: "./sealhouse",
    protocols: ["nuget", "npm", "oci"],
    ...fields,
  };
}

export function exampleHit(fields: Partial<PackageHit> = {}): PackageHit {
  return {
    id: "Acme.Core",
    version: "2.1.0",
    title: "Acme Core",
    description: "Small building blocks for everything Acme: clients, retries, messages.",
    authors: "Acme Ltd, Ada",
    owners: ["ada", "release-bot"],
    tags: ["acme", "http", "messaging"],
    hasIcon: false,
    downloads: 123_456,
    publishedAt: daysAgo(3),
    isPrerelease: false,
    packageTypes: ["Dependency"],
    deprecated: false,
    ...fields,
  };
}

export function exampleHistory(
  count: number,
  { number = 1 }: { readonly number?: number } = {},
): VersionHistory {
  const start = (number - 1) * VERSIONS_PER_PAGE;
  const lines = exampleVersions(count).slice(start, start + VERSIONS_PER_PAGE);
  return { lines, number, last: Math.ceil(count / VERSIONS_PER_PAGE) };
}

function exampleVersions(count: number): readonly VersionLine[] {
  return Array.from({ length: count }, (_, index) => ({
    version: `2.${count - index}.0${index === 0 ? "-rc.1" : ""}`,
    publishedAt: daysAgo(index * 9 + 1),
    downloads: index * 1_234,
    size: 51_200 + index * 1_000,
    listed: index !== 3,
    isPrerelease: index === 0,
    deprecated: index > 8,
    ...(index > 9 && { severity: 2 as const }),
  }));
}

/** Everything a page can show, all at once. */
export function examplePage(fields: Partial<PackagePage> = {}): PackagePage {
  return {
    ...exampleHit(),
    version: "2.11.0",
    fullVersion: "2.11.0+5fc1c5e",
    developmentDependency: false,
    listed: true,
    downloads: 1_234,
    allDownloads: 81_444,
    size: 51_200,
    signature: {
      fingerprint: "ab12".repeat(16),
      subject: "CN=Sealhouse Repository Signing",
      signedAt: daysAgo(3),
    },
    deprecation: {
      reasons: ["Legacy", "CriticalBugs"],
      message: "Version 3 replaces it.\nSee the notes.",
      alternatePackage: { id: "Acme.Next", range: "[3.0.0, )" },
    },
    advisories: [
      {
        severity: 2,
        url: "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
        versions: "[1.0.0, 2.12.0)",
        advisoryId: "GHSA-aaaa-bbbb-cccc",
      },
    ],
    frameworks: ["net8.0", "net10.0", "netstandard2.0"],
    dependencyGroups: [
      {
        targetFramework: "net8.0",
        dependencies: [
          { id: "Acme.Abstractions", range: "[2.0.0, )" },
          { id: "System.Text.Json", range: "[8.0.0, 9.0.0)" },
        ],
      },
      { targetFramework: "net10.0", dependencies: [] },
    ],
    links: new Map([
      ["acme.abstractions", { type: "here" }],
      [
        "system.text.json",
        { type: "source", url: "https://www.nuget.org/packages/System.Text.Json" },
      ],
    ]),
    dependents: {
      totalHits: 12,
      packages: [{ id: "Acme.Web", description: "Web pages by Acme.", downloads: 9_876 }],
    },
    license: { type: "expression", text: "MIT OR Apache-2.0" },
    projectUrl: "https://acme.example/core",
    repository: {
      url: "https://github.com/acme/core",
      branch: "main",
      commit: "5fc1c5e0a7d94c3f8b21",
    },
    releaseNotes: "Fixes.\nAnd more fixes.",
    copyright: "© Acme Ltd 2026",
    minClientVersion: "6.0.0",
    readme: { status: "text", text: README },
    history: exampleHistory(12),
    ...fields,
  };
}

/** A registry that answers every question with the examples. */
export function examplePackages(fields: Partial<PackagesPorts> = {}): PackagesPorts {
  const hits = [
    exampleHit(),
    exampleHit({ id: "Acme.Tool", packageTypes: ["DotnetTool"], isPrerelease: true }),
    exampleHit({ id: "Acme.Old", deprecated: true, severity: 3, tags: [], downloads: 1 }),
  ];
  return {
    site: () => exampleSite(),
    search: async () => ({ status: "found", totalHits: 345, hits }),
    page: async () => ({ status: "found", page: examplePage() }),
    license: async () => ({
      status: "found",
      id: "Acme.Core",
      version: "2.11.0",
      license: { status: "text", text: "The Acme license.\n\n  1. Be kind.\n" },
    }),
    ...fields,
  };
}

function daysAgo(days: number): Date {
  return new Date(NOW.getTime() - days * DAY_MS);
}
