import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";

/** Suites that wait for minutes or download many packages; `pnpm test:faults` runs them. */
const SLOW = [
  "oci-slow-upload",
  "nuget-real-packages",
  "background-check",
  "interrupted",
  "signing-states-failures",
  "slow-bodies",
  "storage-faults",
  "start-without-database.database",
  "kill-releases",
  "lost-deliveries",
];
/** A rolling update needs a second, older host. */
const OF_OLD_HOST = process.env["SEALHOUSE_OLD_HOST"] === undefined ? ["rolling-update"] : [];
const runsFaults = process.env["SEALHOUSE_SLOW_UPLOAD_SECONDS"] !== undefined;

const conditions = ["@sealhouse/source", "node"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["{packages,hosts}/*/{src,test}/**/*.test.{ts,tsx}", "tools/**/*.test.ts"],
    exclude: [
      ...configDefaults.exclude,
      "**/dist/**",
      ...(runsFaults ? [] : [...SLOW, ...OF_OLD_HOST].map((name) => `**/${name}.test.ts`)),
    ],
    // Many tests wait for a client, a host or a database; on two cores the default is one file at a
    // time. Three take no less time there.
    maxWorkers: Math.max(2, availableParallelism()),
    // Real clients on a busy machine; nothing else comes near.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // Hosts that tests start run the code that operators run.
    globalSetup: ["tools/bundle-before-tests.ts"],
    execArgv: ["--conditions=@sealhouse/source"],
  },
});
