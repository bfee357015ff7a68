import { hash } from "node:crypto";

/** SQL Server takes 900 bytes of index key, at two bytes a character. */
const LENGTH_MAX = 400;

/** The key as it is where it fits the column, else its hash. */
export function documentRowKey(key: string): string {
  return key.length <= LENGTH_MAX ? key : `sha256:${hash("sha256", key)}`;
}
