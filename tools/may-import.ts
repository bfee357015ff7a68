import type { RoomTable } from "./rooms.ts";

/** Allowed imports. A package imports only the packages in its row. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "packages/settings": [],
  "packages/jobs": [],
  "packages/disposable-stack": [],
  "packages/bounded-cache": [],
  "packages/request-types": [],
  "packages/zip-archive": [],
  "packages/storage-providers": [
    "packages/bounded-cache",
    "packages/jobs",
    "packages/request-types",
    "packages/settings",
  ],
  "packages/http-responses": ["packages/bounded-cache"],
  "packages/http-server": [
    "packages/bounded-cache",
    "packages/settings",
    "packages/request-types",
    "packages/http-responses",
  ],
  "packages/advisories": [
    "packages/disposable-stack",
    "packages/settings",
    "packages/http-responses",
    "packages/jobs",
  ],
  "packages/repo-signing": [
    "packages/bounded-cache",
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
  "packages/storage-aws-s3": ["packages/settings", "packages/storage-providers"],
  "packages/storage-azure-blob": ["packages/settings", "packages/storage-providers"],
  "packages/storage-google-cloud": ["packages/settings", "packages/storage-providers"],
  "packages/identity": ["packages/bounded-cache", "packages/settings", "packages/request-types"],
  "packages/events": [
    "packages/settings",
    "packages/jobs",
    "packages/request-types",
    "packages/http-responses",
  ],
  "packages/nuget-protocol": [
    "packages/bounded-cache",
    "packages/disposable-stack",
    "packages/jobs",
    "packages/settings",
    "packages/request-types",
    "packages/advisories",
    "packages/http-responses",
    "packages/zip-archive",
  ],
  "packages/npm-protocol": [
    "packages/bounded-cache",
    "packages/disposable-stack",
    "packages/settings",
    "packages/request-types",
    "packages/advisories",
    "packages/http-responses",
  ],
  "packages/oci-distribution": [
    "packages/bounded-cache",
    "packages/jobs",
    "packages/settings",
    "packages/request-types",
    "packages/http-responses",
  ],
  "packages/promotion": [
    "packages/request-types",
    "packages/http-responses",
    "packages/identity",
    "packages/events",
    "packages/npm-protocol",
    "packages/nuget-protocol",
    "packages/oci-distribution",
    "packages/repo-signing",
    "packages/jobs",
  ],
  "packages/administration": [
    "packages/advisories",
    "packages/events",
    "packages/http-responses",
    "packages/identity",
    "packages/jobs",
    "packages/npm-protocol",
    "packages/nuget-protocol",
    "packages/oci-distribution",
    "packages/promotion",
    "packages/repo-signing",
    "packages/request-types",
    "packages/settings",
    "packages/storage-providers",
    "packages/upstream-sources",
  ],
  "packages/database": [
    "packages/bounded-cache",
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
    "packages/promotion",
    "packages/repo-signing",
    "packages/storage-providers",
    "packages/upstream-sources",
  ],
  "packages/feed": [
    "packages/disposable-stack",
    "packages/advisories",
    "packages/request-types",
    "packages/database",
    "packages/events",
    "packages/http-server",
    "packages/identity",
    "packages/jobs",
    "packages/npm-protocol",
    "packages/nuget-protocol",
    "packages/oci-distribution",
    "packages/promotion",
    "packages/repo-signing",
    "packages/storage-providers",
  ],
  "packages/console": [
    "packages/bounded-cache",
    "packages/administration",
    "packages/settings",
    "packages/request-types",
    "packages/http-responses",
    "packages/http-server",
    "packages/identity",
    "packages/npm-protocol",
    "packages/nuget-protocol",
    "packages/oci-distribution",
    "packages/upstream-sources",
  ],
  "packages/command-line": [
    "packages/administration",
    "packages/advisories",
    "packages/database",
    "packages/disposable-stack",
    "packages/events",
    "packages/feed",
    "packages/http-responses",
    "packages/http-server",
    "packages/identity",
    "packages/npm-protocol",
    "packages/nuget-protocol",
    "packages/oci-distribution",
    "packages/promotion",
    "packages/repo-signing",
    "packages/request-types",
    "packages/settings",
    "packages/storage-providers",
    "packages/upstream-sources",
  ],
  "packages/upstream-sources": [
    "packages/bounded-cache",
    "packages/settings",
    "packages/request-types",
    "packages/http-responses",
    "packages/identity",
    "packages/jobs",
    "packages/npm-protocol",
    "packages/nuget-protocol",
    "packages/oci-distribution",
  ],
  "packages/benchmarks": [],
  "hosts/registry": [
    "packages/bounded-cache",
    "packages/disposable-stack",
    "packages/request-types",
    "packages/administration",
    "packages/advisories",
    "packages/command-line",
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
    "packages/promotion",
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
  "packages/database": ["packages/administration"],
  "hosts/registry": [
    "packages/signing-aws",
    "packages/signing-azure-key-vault",
    "packages/signing-google",
    "packages/storage-aws-s3",
    "packages/storage-azure-blob",
    "packages/storage-google-cloud",
  ],
};

/**
 * Rooms of a package, and the rooms that they may import. Protocols stand side by side: what two of
 * them need is in a room below both. Files directly in `src` may import every room.
 */
export const ROOMS_MAY_IMPORT: RoomTable = {
  "packages/console": {
    kit: ["readme"],
    nuget: ["kit", "readme"],
    npm: ["kit", "readme"],
    images: ["kit"],
    names: ["kit"],
    trust: ["kit"],
    front: ["kit", "trust"],
    administration: ["kit"],
    "sign-in": ["kit"],
    tokens: ["kit", "sign-in"],
    people: ["kit", "administration", "tokens"],
    actions: ["kit", "administration"],
    overview: ["kit", "administration"],
    rules: ["kit", "administration", "actions"],
    publishing: ["kit", "administration", "actions"],
    "api-keys": ["kit", "administration", "actions"],
  },
};

/** The table as docs/imports.md draws it: packages, what only tests import, and rooms. */
export function drawnTable(): string {
  const lines = Object.entries(MAY_IMPORT).map(([folder, targets]) => arrow(folder, targets));
  const tested = Object.entries(MAY_TEST_WITH).map(([folder, targets]) => arrow(folder, targets));
  const rooms = Object.entries(ROOMS_MAY_IMPORT).flatMap(([folder, rows]) => [
    "",
    `rooms of ${shortName(folder)}:`,
    ...Object.entries(rows).map(([room, targets]) => arrow(room, targets)),
  ]);
  return [...lines, "", "tests and benchmarks also:", ...tested, ...rooms].join("\n");
}

function arrow(folder: string, targets: readonly string[]): string {
  const targetNames = targets.length > 0 ? targets.map(shortName).join(", ") : "nothing of ours";
  return `${shortName(folder).padEnd(WIDTH)} ─► ${targetNames}`;
}

function shortName(folder: string): string {
  return folder.replace(/^packages\//, "");
}

const WIDTH = Math.max(...Object.keys(MAY_IMPORT).map((folder) => shortName(folder).length));

/**
 * Rows of both tables without a dependency in package.json. `dependencies` has the workspace
 * dependencies of each folder: name and field.
 */
export function staleRows(
  dependencies: ReadonlyMap<string, readonly (readonly [name: string, field: string])[]>,
): readonly string[] {
  const missing = (table: string, folder: string, targets: readonly string[], isOf: IsOf) => {
    const own = dependencies.get(folder);
    if (!own) return [`${table} (tools/may-import.ts): ${folder} does not exist`];
    const names = own.filter(([, field]) => isOf(field)).map(([name]) => name.split("/")[1]);
    return targets
      .filter((target) => !names.includes(shortName(target)))
      .map((target) => `${table} (tools/may-import.ts): ${folder} does not depend on ${target}`);
  };
  const isTest: IsOf = (field) => field === "devDependencies";
  return [
    ...Object.entries(MAY_IMPORT).flatMap(([folder, targets]) =>
      missing("MAY_IMPORT", folder, targets, () => true),
    ),
    ...Object.entries(MAY_TEST_WITH).flatMap(([folder, targets]) =>
      missing("MAY_TEST_WITH", folder, targets, isTest),
    ),
  ];
}

type IsOf = (field: string) => boolean;
