import { coversAnyCase, lowerCaseTwin } from "@sealhouse/identity";
import type { Protocol } from "@sealhouse/request-types";
import type { NameOrigin, NameOrigins } from "../mirror/ports.ts";

/** Keeps origins of names in memory. `own`: published names, such as `npm/left-pad`. */
export function createMemoryNameOrigins(own: readonly string[], now: () => Date): NameOrigins {
  const rows = new Map<string, NameOrigin>(
    own.map((key) => [key, { origin: "own", since: new Date(0) }]),
  );
  const isReserved = (protocol: Protocol, name: string) =>
    [...rows].some(([key, { origin }]) => {
      const [rowProtocol, pattern] = partsOf(key);
      const isPattern = origin === "reserved" && rowProtocol === protocol && pattern.includes("*");
      return isPattern && coversAnyCase(pattern, protocol, name);
    });
  const find = (protocol: Protocol, name: string): NameOrigin | undefined => {
    const row = rows.get(keyOf(protocol, name));
    if (row && row.origin !== "mirrored") return row;
    if (isReserved(protocol, name)) return { origin: "reserved", since: now() };
    const twin = lowerCaseTwin(protocol, name);
    const other = twin === undefined || row ? undefined : rows.get(keyOf(protocol, twin));
    return other && other.origin !== "mirrored" ? other : row;
  };
  return {
    find: async (protocol, name) => find(protocol, name),
    async sourcesOf(protocol, names) {
      const all = names.map((name) => ({ name, origin: find(protocol, name) }));
      return new Map(
        all.flatMap(({ name, origin }) =>
          origin?.origin === "mirrored" ? [[name, origin.source] as const] : [],
        ),
      );
    },
    async claim(protocol, name, source) {
      const before = find(protocol, name);
      if (before) return before;
      const origin = { origin: "mirrored", source, since: now() } as const;
      rows.set(keyOf(protocol, name), origin);
      return origin;
    },
    async reserve(protocol, pattern) {
      const row = rows.get(keyOf(protocol, pattern));
      if (row?.origin === "mirrored") return { status: "mirrored", source: row.source };
      if (row) return { status: row.origin === "own" ? "own" : "repeated" };
      rows.set(keyOf(protocol, pattern), { origin: "reserved", since: now() });
      return { status: "reserved" };
    },
    async release(protocol, pattern) {
      const key = keyOf(protocol, pattern);
      const row = rows.get(key);
      if (row?.origin === "reserved") {
        rows.delete(key);
        return { status: "ended" };
      }
      if (!row) return { status: "absent" };
      if (row.origin !== "mirrored") return { status: "own" };
      rows.set(key, { origin: "own", since: now() });
      return { status: "released", source: row.source };
    },
    async ownNames(protocol, { after, limit }) {
      const names = [...rows]
        .filter(([, { origin }]) => origin === "own")
        .map(([key]) => partsOf(key))
        .filter(([rowProtocol, name]) => rowProtocol === protocol && name > after)
        .map(([, name]) => name);
      return names.toSorted((a, b) => (a < b ? -1 : 1)).slice(0, limit);
    },
  };
}

function keyOf(protocol: Protocol, name: string): string {
  return `${protocol}/${name}`;
}

function partsOf(key: string): readonly [protocol: string, name: string] {
  const slash = key.indexOf("/");
  return [key.slice(0, slash), key.slice(slash + 1)];
}
