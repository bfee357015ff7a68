import { createHash } from "node:crypto";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import type { NewNpmVersion } from "@sealhouse/npm-protocol";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import type { Database } from "../../database.ts";
import { OPERATOR, plainWrite, write, WRITTEN_AT } from "./write.test.support.ts";
import type { Write } from "./write.test.support.ts";

const DAY_MS = 24 * 60 * 60_000;
const TERMS = {
  stagedAt: WRITTEN_AT,
  expiresAt: new Date(WRITTEN_AT.getTime() + DAY_MS),
  perPackage: 10,
};

/** Publishes version 1.0.0 of an id. */
function nuget(id: string) {
  return async (database: Database) => {
    await database.nuget.recorder.record(newPackage({ id, version: "1.0.0" }), OPERATOR);
  };
}

/** Publishes version 1.0.0 of a name, and returns the revision of the package. */
function npm(name: string) {
  return async (database: Database) => {
    await database.npm.recorder.publish(newNpmVersion({ name }), OPERATOR);
    return (await database.npm.lookup.find(name))?.revision ?? 0;
  };
}

/** Stages version 1.0.0 of a name, and returns its id. */
function staged(name: string) {
  return async ({ npm: { staging } }: Database) => {
    const outcome = await staging.stage(stagedVersion(name), TERMS, OPERATOR);
    if (outcome.status !== "staged") throw new Error(`${name} was not staged`);
    return outcome.id;
  };
}

function stagedVersion(name: string) {
  const { publishedAt: _publishedAt, ...version } = newNpmVersion({ name });
  return version;
}

function symbolsOf(id: string) {
  const blobOf = (content: string) => {
    const sha256 = createHash("sha256").update(content).digest("hex");
    return { key: `nuget/blobs/sha256/${sha256.slice(0, 2)}/${sha256}.1`, size: 9, sha256 };
  };
  const checksum = "c".repeat(64);
  const file = { fileName: "a.pdb", symbolKey: "k".repeat(40), checksum, blob: blobOf("pdb") };
  return { id, version: "1.0.0", blob: blobOf("symbols"), files: [file] };
}

export const NUGET_WRITES: readonly Write[] = [
  plainWrite({
    name: "pushes a package",
    event: "package.published",
    outcome: { status: "recorded" },
    again: { status: "exists" },
    run: ({ nuget: { recorder } }, caller) =>
      recorder.record(newPackage({ id: "w.pushed", version: "1.0.0" }), caller),
  }),
  write({
    name: "overwrites a package",
    event: "package.published",
    outcome: { status: "recorded" },
    prepare: nuget("w.overwritten"),
    run: ({ nuget: { recorder } }, caller) => {
      const { blob } = newPackage({ id: "w.other", version: "1.0.0" });
      const changed = newPackage({ id: "w.overwritten", version: "1.0.0" }, { blob });
      return recorder.record(changed, caller, { overwrite: true });
    },
  }),
  write({
    name: "unlists a package",
    event: "package.unlisted",
    outcome: "changed",
    again: "unchanged",
    prepare: nuget("w.unlisted"),
    run: ({ nuget: { recorder } }, caller) =>
      recorder.setListed("w.unlisted", "1.0.0", false, caller),
  }),
  write({
    name: "lists a package again",
    event: "package.relisted",
    outcome: "changed",
    again: "unchanged",
    async prepare(database) {
      await nuget("w.relisted")(database);
      await database.nuget.recorder.setListed("w.relisted", "1.0.0", false, OPERATOR);
    },
    run: ({ nuget: { recorder } }, caller) =>
      recorder.setListed("w.relisted", "1.0.0", true, caller),
  }),
  write({
    name: "deletes a package",
    event: "package.deleted",
    outcome: "deleted",
    again: "absent",
    prepare: nuget("w.deleted"),
    run: ({ nuget: { lifecycle } }, caller) => lifecycle.delete("w.deleted", "1.0.0", caller),
  }),
  write({
    name: "deprecates a package",
    event: "package.deprecated",
    outcome: ["1.0.0"],
    again: [],
    prepare: nuget("w.deprecated"),
    run: ({ nuget: { lifecycle } }, caller) =>
      lifecycle.deprecate("w.deprecated", "all", { reasons: ["Legacy"] }, caller),
  }),
  write({
    name: "ends the deprecation of a package",
    event: "package.deprecated",
    outcome: ["1.0.0"],
    again: [],
    async prepare(database) {
      await nuget("w.undeprecated")(database);
      const { lifecycle } = database.nuget;
      await lifecycle.deprecate("w.undeprecated", "all", { reasons: ["Legacy"] }, OPERATOR);
    },
    run: ({ nuget: { lifecycle } }, caller) =>
      lifecycle.deprecate("w.undeprecated", "all", undefined, caller),
  }),
  write({
    name: "allows that a deleted version is pushed again",
    event: "package.reuse-allowed",
    outcome: "allowed",
    again: "absent",
    async prepare(database) {
      await nuget("w.reused")(database);
      await database.nuget.lifecycle.delete("w.reused", "1.0.0", OPERATOR);
    },
    run: ({ nuget: { lifecycle } }, caller) => lifecycle.allowReuse("w.reused", "1.0.0", caller),
  }),
  write({
    name: "records symbols of a package",
    event: "symbols.published",
    outcome: { status: "recorded" },
    prepare: nuget("w.symbols"),
    run: ({ nuget: { symbols } }, caller) => symbols.record(symbolsOf("w.symbols"), caller),
  }),
  write({
    name: "deletes a package by a retention rule",
    event: "package.deleted",
    outcome: "deleted",
    again: "absent",
    async prepare({ nuget: { recorder } }) {
      // The last version stays.
      for (const version of ["1.0.0", "2.0.0"]) {
        await recorder.record(newPackage({ id: "w.retained", version }), OPERATOR);
      }
    },
    run: ({ nuget: { retention } }, caller) =>
      retention.delete("w.retained", { version: "1.0.0" }, caller),
  }),
];

export const NPM_WRITES: readonly Write[] = [
  plainWrite({
    name: "publishes a package",
    event: "package.published",
    outcome: { status: "published" },
    again: { status: "replayed" },
    run: ({ npm: { recorder } }, caller) =>
      recorder.publish(newNpmVersion({ name: "w-published" }), caller),
  }),
  plainWrite({
    name: "publishes a batch",
    event: "package.published",
    outcome: { status: "published" },
    again: { outcomes: [{ status: "replayed" }, { status: "replayed" }] },
    run: ({ npm: { recorder } }, caller) => {
      const versions: readonly NewNpmVersion[] = [
        newNpmVersion({ name: "w-batch-1" }),
        newNpmVersion({ name: "w-batch-2" }),
      ];
      return recorder.publishAll(versions, caller, new Map());
    },
  }),
  plainWrite({
    name: "publishes a batch with the rights on one of its packages",
    event: "package.published",
    outcome: { status: "published" },
    again: { outcomes: [{ status: "replayed" }, { status: "replayed" }] },
    run: ({ npm: { recorder } }, caller) => {
      const versions = [newNpmVersion({ name: "w-batch-3" }), newNpmVersion({ name: "w-batch-4" })];
      return recorder.publishAll(versions, OPERATOR, new Map([["w-batch-4", caller]]));
    },
  }),
  write({
    name: "sets a tag",
    event: "package.tagged",
    outcome: "set",
    prepare: npm("w-tagged"),
    run: ({ npm: { recorder } }, caller) =>
      recorder.setTag("w-tagged", { tag: "beta", version: "1.0.0" }, caller),
  }),
  write({
    name: "removes a tag",
    event: "package.tagged",
    outcome: "deleted",
    again: "absent",
    async prepare(database) {
      await npm("w-untagged")(database);
      const target = { tag: "beta", version: "1.0.0" };
      await database.npm.recorder.setTag("w-untagged", target, OPERATOR);
    },
    run: ({ npm: { recorder } }, caller) => recorder.removeTag("w-untagged", "beta", caller),
  }),
  write({
    name: "deprecates a version",
    event: "package.deprecated",
    outcome: ["1.0.0"],
    again: [],
    prepare: npm("w-deprecated"),
    run: ({ npm: { lifecycle } }, caller) =>
      lifecycle.deprecate("w-deprecated", new Map([["1.0.0", "use another"]]), caller),
  }),
  write({
    name: "unpublishes a package",
    event: "package.deleted",
    outcome: "deleted",
    again: "absent",
    prepare: npm("w-unpublished"),
    run: ({ npm: { lifecycle } }, caller, revision) =>
      lifecycle.unpublish("w-unpublished", { versions: "all", revision }, caller),
  }),
  write({
    name: "sets the access of a package",
    event: "package.access-changed",
    outcome: "set",
    prepare: npm("w-restricted"),
    run: ({ npm: { owners } }, caller) => owners.setAccess("w-restricted", "restricted", caller),
  }),
  write({
    name: "sets the maintainers of a package",
    event: "package.owners-changed",
    outcome: "set",
    again: "changed",
    prepare: npm("w-maintained"),
    run: ({ npm: { owners } }, caller, revision) =>
      owners.setMaintainers("w-maintained", { maintainers: [{ name: "bob" }], revision }, caller),
  }),
  write({
    name: "trusts a build job",
    event: "package.trust-changed",
    outcome: { status: "added" },
    again: { status: "present" },
    prepare: npm("w-trusting"),
    run: ({ npm: { trustedPublishers } }, caller) =>
      trustedPublishers.add("w-trusting", [PUBLISHER], caller, 5),
  }),
  write({
    name: "ends the trust in a build job",
    event: "package.trust-changed",
    outcome: "revoked",
    again: "absent",
    async prepare(database) {
      await npm("w-distrusting")(database);
      const { trustedPublishers } = database.npm;
      const added = await trustedPublishers.add("w-distrusting", [PUBLISHER], OPERATOR, 5);
      return added.status === "added" ? (added.publishers[0]?.id ?? "") : "";
    },
    run: ({ npm: { trustedPublishers } }, caller, id) =>
      trustedPublishers.revoke("w-distrusting", id, caller),
  }),
  plainWrite({
    name: "stages a version",
    event: "package.staged",
    outcome: { status: "staged" },
    again: { status: "replayed" },
    run: ({ npm: { staging } }, caller) => staging.stage(stagedVersion("w-staged"), TERMS, caller),
  }),
  write({
    name: "rejects a staged version",
    event: "package.stage-rejected",
    outcome: "rejected",
    again: "absent",
    prepare: staged("w-rejected"),
    run: ({ npm: { staging } }, caller, id) => staging.reject(id, caller),
  }),
  write({
    name: "publishes a staged version",
    event: "package.published",
    outcome: { status: "published" },
    again: { status: "absent" },
    prepare: staged("w-released"),
    run: ({ npm: { recorder } }, caller, id) =>
      recorder.release(id, newNpmVersion({ name: "w-released" }), caller),
  }),
];

const PUBLISHER = {
  provider: "github",
  issuer: "https://token.actions.test",
  claims: { repository: "acme/demo", workflow_ref: { file: "publish.yml" } },
  permissions: ["createPackage"],
} as const;
