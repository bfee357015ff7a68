/** Allowed imports. A package imports only the packages in its row. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "packages/settings": [],
  "packages/jobs": [],
  "packages/disposable-stack": [],
  "packages/request-types": [],
  "packages/zip-archive": [],
  "packages/storage-providers": ["packages/jobs", "packages/request-types", "packages/settings"],
  "packages/http-responses": [],
  "packages/http-server": ["packages/request-types", "packages/http-responses"],
  "packages/advisories": [
    "packages/disposable-stack",
    "packages/settings",
    "packages/http-responses",
    "packages/jobs",
  ],
  "packages/repo-signing": [
    "packages/disposable-stack",
    "packages/settings",
    "packages/jobs",
    "packages/zip-archive",
  ],
  "packages/signing-aws": [
    "packages/disposable-stack",
    "packages/settings",
    "packages/repo-signing",
  ],
  "packages/signing-azure-key-vault": [
    "packages/disposable-stack",
    "packages/settings",
    "packages/repo-signing",
  ],
  "packages/signing-google": [
    "packages/disposable-stack",
    "packages/settings",
    "packages/repo-signing",
  ],
  "packages/identity": ["packages/settings", "packages/request-types"],
  "packages/events": ["packages/jobs", "packages/request-types"],
  "packages/nuget-protocol": [
    "packages/disposable-stack",
    "packages/jobs",
    "packages/settings",
    "packages/request-types",
    "packages/advisories",
    "packages/http-responses",
    "packages/zip-archive",
  ],
  "packages/npm-protocol": [
    "packages/disposable-stack",
    "packages/settings",
    "packages/request-types",
    "packages/advisories",
    "packages/http-responses",
  ],
  "packages/oci-distribution": [
    "packages/jobs",
    "packages/settings",
    "packages/request-types",
    "packages/http-responses",
  ],
  "packages/database": [
    "packages/settings",
    "packages/request-types",
    "packages/advisories",
    "packages/events",
    "packages/http-responses",
    "packages/identity",
    "packages/jobs",
    "packages/npm-protocol",
    "packages/nuget-protocol",
    "packages/oci-distribution",
    "packages/repo-signing",
    "packages/storage-providers",
  ],
  "packages/feed": [
    "packages/disposable-stack",
    "packages/request-types",
    "packages/database",
    "packages/events",
    "packages/http-server",
    "packages/identity",
    "packages/jobs",
    "packages/npm-protocol",
    "packages/nuget-protocol",
    "packages/oci-distribution",
    "packages/repo-signing",
    "packages/storage-providers",
  ],
  "packages/console": [
    "packages/request-types",
    "packages/http-responses",
    "packages/identity",
    "packages/npm-protocol",
    "packages/nuget-protocol",
    "packages/oci-distribution",
  ],
  "packages/upstream-sources": [
    "packages/request-types",
    "packages/http-responses",
    "packages/identity",
    "packages/npm-protocol",
    "packages/nuget-protocol",
    "packages/oci-distribution",
  ],
  "packages/benchmarks": [],
  "hosts/registry": [
    "packages/disposable-stack",
    "packages/request-types",
    "packages/advisories",
    "packages/console",
    "packages/database",
    "packages/events",
    "packages/feed",
    "packages/http-responses",
    "packages/http-server",
    "packages/identity",
    "packages/jobs",
    "packages/npm-protocol",
    "packages/nuget-protocol",
    "packages/oci-distribution",
    "packages/repo-signing",
    "packages/settings",
    "packages/storage-providers",
    "packages/upstream-sources",
  ],
};

/** Additional imports of tests and benchmarks. */
export const MAY_TEST_WITH: Readonly<Record<string, readonly string[]>> = {
  "packages/advisories": ["packages/http-server"],
  "packages/benchmarks": ["packages/database", "packages/repo-signing"],
  "hosts/registry": [
    "packages/signing-aws",
    "packages/signing-azure-key-vault",
    "packages/signing-google",
  ],
};

/** The table as ARCHITECTURE.md draws it, a line for each package. */
export function drawnTable(): string {
  const short = (folder: string) => folder.replace(/^packages\//, "");
  const width = Math.max(...Object.keys(MAY_IMPORT).map((folder) => short(folder).length));
  const lines = Object.entries(MAY_IMPORT).map(([folder, targets]) => {
    const named = targets.length > 0 ? targets.map(short).join(", ") : "nothing of ours";
    return `${short(folder).padEnd(width)} ─► ${named}`;
  });
  return lines.join("\n");
}
