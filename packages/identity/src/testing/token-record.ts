import { randomUUID } from "node:crypto";
import type { TokenRecord } from "../ports.ts";

const createdAt = new Date("2026-03-01T10:20:30.456Z");

/** Returns a token record with a unique id and hash. */
export function tokenRecord(fields: Partial<TokenRecord>): TokenRecord {
  const unique = randomUUID().replaceAll("-", "");
  return {
    id: randomUUID(),
    name: "contract token",
    prefix: `shp_${unique.slice(0, 8)}`,
    hash: unique + unique,
    scheme: 1,
    scopes: ["read"],
    protocols: [],
    patterns: [],
    networks: [],
    createdAt,
    ...fields,
  };
}
