import type { NpmHit, NpmPage } from "../npm/model.ts";
import type { NpmPackagesPorts } from "../npm/npm-packages-app.ts";
import { exampleHistory, exampleSite } from "./example-packages.ts";

const PUBLISHED = new Date("2026-02-26T12:00:00Z");
const README = `# @acme/app

[![build](https://ci.example/badge.svg)](https://ci.example/acme)

A small application server for **Acme**. See https://acme.example/docs.

## Getting started

\`\`\`js
import { createApp } from "@acme/app";
await createApp({ port: 8080, retries: 3, timeoutMs: 30_000 }).listen();
\`\`\`

| option | default | what it does |
| --- | --- | --- |
| \`retries\` | 3 | how often a call is tried again |
`;

export function exampleNpmHit(fields: Partial<NpmHit> = {}): NpmHit {
  return {
    name: "@acme/app",
    version: "2.0.1",
    description: "A small application server: routes, retries, graceful stop.",
    keywords: ["acme", "http", "server"],
    maintainers: ["alice", "release-bot"],
    publishedAt: PUBLISHED,
    isPrerelease: false,
    deprecated: false,
    ...fields,
  };
}

/** Everything a page can show, all at once. */
export function exampleNpmPage(fields: Partial<NpmPage> = {}): NpmPage {
  return {
    ...exampleNpmHit(),
    tags: [
      { tag: "latest", version: "2.1.0" },
      { tag: "next", version: "3.0.0-rc.1" },
    ],
    publishedBy: "token:release-bot",
    deprecated: "Version 2.1 replaces it.\nSee the notes.",
    advisories: [
      {
        severity: 2,
        title: "Reads any file",
        url: "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
        versions: ">=1.0.0 <2.1.0",
        advisoryId: "GHSA-aaaa-bbbb-cccc",
      },
    ],
    downloads: 1_234,
    size: 51_200,
    unpackedSize: 204_800,
    fileCount: 42,
    integrity: `sha512-${"Zm9v".repeat(21)}Zg==`,
    license: { text: "MIT OR Apache-2.0" },
    homepage: "https://acme.example/app#readme",
    repository: { url: "git+https://github.com/acme/app.git", directory: "packages/app" },
    bugs: "https://github.com/acme/app/issues",
    engines: [{ name: "node", range: ">=24" }],
    commands: ["acme-app"],
    installScripts: ["postinstall"],
    dependencies: [
      {
        kind: "needed",
        entries: [
          { name: "@acme/core", range: "^2.0.0" },
          { name: "parser", target: "@acme/parser", range: "1.x" },
        ],
      },
      { kind: "optional", entries: [{ name: "fsevents", range: "~2.3.2" }] },
      { kind: "peer", entries: [{ name: "react", range: ">=18" }] },
      { kind: "optional-peer", entries: [{ name: "typescript", range: "*" }] },
      { kind: "development", entries: [{ name: "vitest", range: "^5.1.1" }] },
    ],
    links: new Map([
      ["@acme/parser", { type: "here" }],
      ["react", { type: "source", url: "https://www.npmjs.com/package/react" }],
    ]),
    dependents: { totalHits: 12, names: ["@acme/web", "dashboard"] },
    signature: { status: "signed", keyId: "SHA256:jl3bwswu80PjjokCgh0o2w5c2U4LhQAE57gj9cz1kzA" },
    provenance: [
      {
        predicateType: "https://slsa.dev/provenance/v1",
        verdict: { status: "verified" },
        builder: "https://github.com/actions/runner/github-hosted",
        source: "https://github.com/acme/app",
        commit: "5fc1c5e0a7d94c3f8b215fc1c5e0a7d94c3f8b21",
        workflow: ".github/workflows/release.yml",
      },
    ],
    readme: { status: "text", text: README },
    history: exampleHistory(12),
    ...fields,
  };
}

/** A registry that answers every question with the examples. */
export function exampleNpmPackages(fields: Partial<NpmPackagesPorts> = {}): NpmPackagesPorts {
  const hits = [
    exampleNpmHit(),
    exampleNpmHit({ name: "left-pad", version: "1.3.0-rc.1", isPrerelease: true }),
    exampleNpmHit({ name: "old-pad", deprecated: true, keywords: [], maintainers: [] }),
  ];
  return {
    site: () => exampleSite(),
    search: async () => ({ status: "found", totalHits: 345, hits }),
    page: async () => ({ status: "found", page: exampleNpmPage() }),
    ...fields,
  };
}
