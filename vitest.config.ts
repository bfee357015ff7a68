import { defineConfig } from "vitest/config";

const conditions = ["@sealhouse/source", "node"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["{packages,hosts}/*/{src,test}/**/*.test.{ts,tsx}", "tools/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    execArgv: ["--conditions=@sealhouse/source"],
  },
});
