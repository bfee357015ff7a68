import { fileURLToPath } from "node:url";

/**
 * The folder of Node's compile cache for the processes of a test. Each host has its own data folder
 * and each client its own home, but all compile the same sources.
 */
export const COMPILED_CODE = {
  NODE_COMPILE_CACHE: fileURLToPath(
    new URL("../../../../node_modules/.cache/sealhouse-tests", import.meta.url),
  ),
} as const;
