import { hash } from "node:crypto";

/** SQL Server takes 900 bytes of index key, at two bytes a character. */
const LENGTH_MAX = 400;

/** Returns the key when it fits the column; otherwise its hash. */
export function documentRowKey(key: string): string {
  return key.length <= LENGTH_MAX ? key : `sha256:${hash("sha256", key)}`;
}
