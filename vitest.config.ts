import { defineConfig } from "vitest/config";

const conditions = ["@sealhouse/source", "node"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["{packages,hosts}/*/{src,test}/**/*.test.{ts,tsx}", "tools/**/*.test.ts"],
    // Real clients on a busy machine; nothing else comes near.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    execArgv: ["--conditions=@sealhouse/source"],
  },
});
