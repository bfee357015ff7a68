// The tests that take minutes: long faults, fuzzing, and older versions of clients. `pnpm
// test:extended` runs them; the whole suite runs a short form of most, and leaves the rest out.

/**
 * Left out of every other run: they wait for minutes, download many packages, or show with a client
 * what tests prove over the wire.
 */
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
  "dotnet-lock-files",
  "dotnet-signature-lists",
  "kill-lifecycle",
  "lost-connections",
] as const;

/** Folders and files of tests, as vitest takes them. */
export const EXTENDED = [
  "hosts/registry/test/browser/cross-site-forms.test.ts",
  "hosts/registry/test/browser/provider-refusals.test.ts",
  "hosts/registry/test/clients/dotnet-audit.test.ts",
  "hosts/registry/test/clients/dotnet-commands.test.ts",
  "hosts/registry/test/clients/dotnet-lock-files.test.ts",
  "hosts/registry/test/clients/dotnet-rotation.test.ts",
  "hosts/registry/test/clients/dotnet-signature-lists.test.ts",
  "hosts/registry/test/clients/dotnet-trust.test.ts",
  "hosts/registry/test/clients/dotnet.test.ts",
  "hosts/registry/test/clients/instances.test.ts",
  "hosts/registry/test/clients/nuget-real-packages.test.ts",
  "hosts/registry/test/clients/oci-referrers.test.ts",
  "hosts/registry/test/clients/oci-slow-upload.test.ts",
  "hosts/registry/test/clients/owners.test.ts",
  "hosts/registry/test/clients/views.test.ts",
  "hosts/registry/test/database-copy.database.test.ts",
  "hosts/registry/test/faults",
  "hosts/registry/test/lost-files.test.ts",
  "hosts/registry/test/npm-clients",
  "hosts/registry/test/packed-packages.clients.test.ts",
  "hosts/registry/test/promotion/instances.clients.test.ts",
  "hosts/registry/test/promotion/interrupted.test.ts",
  "hosts/registry/test/promotion/targets.clients.test.ts",
  "hosts/registry/test/self-signed.test.ts",
  "hosts/registry/test/signing-states-failures.test.ts",
  "hosts/registry/test/slow-bodies.test.ts",
  "hosts/registry/test/start-without-database.database.test.ts",
  "hosts/registry/test/storage-aws-s3.clients.test.ts",
  "hosts/registry/test/storage-azure-blob.test.ts",
  "hosts/registry/test/storage-faults.test.ts",
  "hosts/registry/test/storage-google-cloud.test.ts",
  "hosts/registry/test/unavailable.database.test.ts",
  "hosts/registry/test/upstream/mirror-faults.database.test.ts",
  "hosts/registry/test/upstream/mirror-instances.database.test.ts",
  "hosts/registry/test/upstream/nuget-mirror.clients.test.ts",
  "hosts/registry/test/upstream/nuget-policy.clients.test.ts",
  "hosts/registry/test/upstream/nuget-require.clients.test.ts",
  "packages/database/src/lost-connections.database.test.ts",
  "packages/database/src/oci/gc/interleaved.database.test.ts",
  "packages/database/src/raw/unavailable.test.ts",
  "packages/npm-protocol/src/fuzz.test.ts",
  "packages/oci-distribution/src/fuzz-requests.test.ts",
  "packages/oci-distribution/src/fuzz.test.ts",
  "packages/oci-distribution/src/gc/collect-interleaved.test.ts",
  "packages/repo-signing/src/pfx/pfx.clients.test.ts",
] as const;

/** Lengths of the long form; a test without its variable makes the short form. */
export const LENGTHS = {
  /** Registers the tests of `extendedTest`, and makes others longer. */
  SEALHOUSE_EXTENDED_TESTS: "1",
  SEALHOUSE_OLDER_CLIENTS: "1",
  SEALHOUSE_FAULT_ROUNDS: "10",
  SEALHOUSE_POWER_CUTS: "15",
  SEALHOUSE_FUZZ_SECONDS: "120",
  SEALHOUSE_SLOW_UPLOAD_SECONDS: "140",
  SEALHOUSE_REAL_PACKAGES: "50",
} as const;
