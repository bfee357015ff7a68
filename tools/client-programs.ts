// The clients and servers that tests start: which are missing, and a mark that changes with them.
import { existsSync, globSync, realpathSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";

const PROGRAMS = [
  "ceph-mon",
  "ceph-osd",
  "chromium",
  "docker-registry",
  "dotnet",
  "nginx",
  "npm",
  "openssl",
  "pkcs11-tool",
  "promtool",
  "radosgw",
  "radosgw-admin",
  "skopeo",
  "softhsm2-util",
];

const SERVERS: readonly (readonly [name: string, pattern: string])[] = [
  ["PostgreSQL", "/usr/lib/postgresql/*/bin/initdb"],
  ["MariaDB", "/usr/sbin/mariadbd"],
];

export function missingClients(): readonly string[] {
  return paths()
    .filter(([, path]) => path === undefined)
    .map(([name]) => name);
}

/** Differs when a client is installed, removed or replaced: results of before are not valid then.
 * In the environment of turbo it is part of what the cache compares. */
export function clientsMark(): string {
  return paths()
    .map(([name, path]) => {
      if (path === undefined) return `${name} -`;
      const { size, mtimeMs } = statSync(path);
      return `${name} ${size} ${Math.trunc(mtimeMs)}`;
    })
    .join("; ");
}

function paths(): readonly (readonly [name: string, path: string | undefined])[] {
  return [
    ...PROGRAMS.map((name) => [name, onPath(name)] as const),
    ...SERVERS.map(([name, pattern]) => [name, globSync(pattern).toSorted().at(-1)] as const),
  ];
}

function onPath(program: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"];
  const file = folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
  return file && realpathSync(file);
}
