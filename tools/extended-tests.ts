// The tests that take minutes: long faults, fuzzing, and older versions of clients. `pnpm
// test:extended` runs them; the whole suite runs a short form of most, and leaves the rest out.

/** Left out of every other run: they wait for minutes or download many packages. */
export const SLOW = [
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
] as const;

/** Folders and files of tests, as vitest takes them. */
export const EXTENDED = [
  "hosts/registry/test/clients/dotnet.test.ts",
  "hosts/registry/test/clients/instances.test.ts",
  "hosts/registry/test/clients/nuget-real-packages.test.ts",
  "hosts/registry/test/clients/oci-slow-upload.test.ts",
  "hosts/registry/test/faults",
  "hosts/registry/test/lost-files.test.ts",
  "hosts/registry/test/npm-clients",
  "hosts/registry/test/promotion/interrupted.test.ts",
  "hosts/registry/test/signing-states-failures.test.ts",
  "hosts/registry/test/slow-bodies.test.ts",
  "hosts/registry/test/start-without-database.database.test.ts",
  "hosts/registry/test/storage-faults.test.ts",
  "hosts/registry/test/unavailable.database.test.ts",
  "packages/database/src/lost-connections.database.test.ts",
  "packages/database/src/raw/unavailable.test.ts",
  "packages/npm-protocol/src/fuzz.test.ts",
  "packages/oci-distribution/src/fuzz",
  "packages/oci-distribution/src/gc/collect-interleaved.test.ts",
] as const;

/** Lengths of the long form; a test without its variable makes the short form. */
export const LENGTHS = {
  SEALHOUSE_OLDER_CLIENTS: "1",
  SEALHOUSE_FAULT_ROUNDS: "10",
  SEALHOUSE_POWER_CUTS: "15",
  SEALHOUSE_FUZZ_SECONDS: "120",
  SEALHOUSE_SLOW_UPLOAD_SECONDS: "140",
  SEALHOUSE_REAL_PACKAGES: "50",
} as const;
