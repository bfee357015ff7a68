import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { SLOW } from "./tools/extended-tests.ts";
import { LongestFirst } from "./tools/longest-first.ts";

/** A rolling update needs a second, older host. */
const OF_OLD_HOST = process.env["SEALHOUSE_OLD_HOST"] === undefined ? ["rolling-update"] : [];
const runsFaults = process.env["SEALHOUSE_SLOW_UPLOAD_SECONDS"] !== undefined;

const conditions = ["@sealhouse/source", "node"];
const TESTS = ["{packages,hosts}/*/{src,test}/**/*.test.{ts,tsx}", "tools/**/*.test.ts"];
/** Tests that replace modules, or need a process that has done nothing before. */
const ISOLATED = ["{packages,hosts}/*/{src,test}/**/*.isolated.test.{ts,tsx}"];
/** One process for everything would grow to two gigabytes. */
const OF_HOST = ["hosts/*/{src,test}/**/*.test.{ts,tsx}"];
const EXPLAIN_FAILURES = "hosts/registry/src/testing/explain-failures.ts";
const exclude = [
  ...configDefaults.exclude,
  "**/dist/**",
  ...(runsFaults ? [] : [...SLOW, ...OF_OLD_HOST].map((name) => `**/${name}.test.ts`)),
];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Many tests wait for a client, a host or a database; on two cores the default is one file at a
    // time. Three take no less time there.
    maxWorkers: Math.max(2, availableParallelism()),
    // Real clients on a busy machine; nothing else comes near.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // Hosts that tests start run the code that operators run.
    globalSetup: ["tools/bundle-before-tests.ts"],
    setupFiles: ["tools/record-processes.ts"],
    sequence: { sequencer: LongestFirst },
    execArgv: ["--conditions=@sealhouse/source"],
    // Processes of tests compile the same sources.
    env: { NODE_COMPILE_CACHE: resolve("node_modules/.cache/sealhouse-tests") },
    // The files of a worker share its modules: loading them costs more than most tests.
    isolate: false,
    projects: [
      {
        extends: true,
        test: { name: "packages", include: TESTS, exclude: [...exclude, ...ISOLATED, ...OF_HOST] },
      },
      {
        extends: true,
        test: {
          name: "host",
          include: OF_HOST,
          exclude: [...exclude, ...ISOLATED],
          setupFiles: [EXPLAIN_FAILURES],
        },
      },
      { extends: true, test: { name: "isolated", isolate: true, include: ISOLATED, exclude } },
    ],
  },
});
