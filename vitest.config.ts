import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const conditions = ["@sealhouse/source", "node"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["{packages,hosts}/*/{src,test}/**/*.test.{ts,tsx}", "tools/**/*.test.ts"],
    // Many tests wait for a client, a host or a database; on two cores the default is one file at a
    // time.
    maxWorkers: Math.max(2, availableParallelism()),
    // Real clients on a busy machine; nothing else comes near.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    execArgv: ["--conditions=@sealhouse/source"],
  },
});
