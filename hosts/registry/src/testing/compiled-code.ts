import { fileURLToPath } from "node:url";

/** Where Node keeps what it compiled from one process of a test to the next: each host has a data
 * folder of its own, each client a home, and all of them compile the same sources. */
export const COMPILED_CODE = {
  NODE_COMPILE_CACHE: fileURLToPath(
    new URL("../../../../node_modules/.cache/sealhouse-tests", import.meta.url),
  ),
} as const;
