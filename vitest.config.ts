import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { SLOW } from "./tools/extended-tests.ts";

/** A rolling update needs a second, older host. */
const OF_OLD_HOST = process.env["SEALHOUSE_OLD_HOST"] === undefined ? ["rolling-update"] : [];
const runsFaults = process.env["SEALHOUSE_SLOW_UPLOAD_SECONDS"] !== undefined;

const conditions = ["@sealhouse/source", "node"];
const TESTS = ["{packages,hosts}/*/{src,test}/**/*.test.{ts,tsx}", "tools/**/*.test.ts"];
/**
 * The tests of the host, which change what all modules of a process share (trusted certificates, the
 * environment), and every test that replaces modules or needs a process that has done nothing before.
 */
const ISOLATED = [
  "hosts/*/{src,test}/**/!(*.database).test.{ts,tsx}",
  "packages/*/{src,test}/**/*.isolated.test.{ts,tsx}",
];
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
    execArgv: ["--conditions=@sealhouse/source"],
    projects: [
      {
        extends: true,
        test: {
          name: "together",
          // The files of a worker share its modules: loading them costs more than most tests.
          isolate: false,
          include: TESTS,
          exclude: [...exclude, ...ISOLATED],
        },
      },
      { extends: true, test: { name: "isolated", include: ISOLATED, exclude } },
    ],
  },
});
