import assert from "node:assert/strict";
import type { NewTrustedPublisher, TrustedPublisher } from "../trust/ports.ts";
import { alice, bob } from "./contract-fixtures.ts";
import type { NpmPortsTest } from "./ports-test.ts";

export const githubPublisher: NewTrustedPublisher = {
  provider: "github",
  issuer: "https://token.actions.test",
  claims: { repository: "acme/demo", workflow_ref: { file: "publish.yml" }, environment: "Zoë" },
  permissions: ["createPackage"],
};
export const circlePublisher: NewTrustedPublisher = {
  provider: "circleci",
  issuer: "https://oidc.circleci.test/org/1",
  claims: {
    "oidc.circleci.com/org-id": "0b1e7f62-44a2-4c3e-9a54-0d5e0c6f7a10",
    "oidc.circleci.com/project-id": "c1b3d8a2-6c1e-4b7f-8f0a-6f2f5b8f6f11",
    "oidc.circleci.com/context-ids": ["a", "b"],
  },
  permissions: ["createPackage", "createStagedPackage"],
};

const gitlabPublisher: NewTrustedPublisher = {
  provider: "gitlab",
  issuer: "https://gitlab.test",
  claims: { project_path: "acme/demo", ci_config_ref_uri: { file: ".gitlab-ci.yml" } },
  permissions: ["createPackage"],
};

/** Contract of catalogs: publishing without a secret. */
export const trustContract: readonly NpmPortsTest[] = [
  {
    name: "keeps trusted publishers as they were given, of each name its own, in order",
    async run({ trustedPublishers: trust }) {
      const first = await trust.add("@acme/demo", [githubPublisher], alice, 9);
      const more = await trust.add("@acme/demo", [circlePublisher, gitlabPublisher], bob, 9);
      await trust.add("@acme/Demo", [circlePublisher], bob, 9);
      assert.equal(first.status, "added");
      assert.equal(more.status, "added");
      const added = [...first.publishers, ...more.publishers];
      const listed = await trust.list("@acme/demo");
      assert.deepEqual(listed.toSorted(byId), added.toSorted(byId));
      assert.equal(listed[0]?.createdBy, "alice");
      assert.deepEqual(
        added.map(({ createdBy, ...rest }) => ({ ...wishOf(rest), createdBy })),
        [
          { ...githubPublisher, createdBy: "alice" },
          { ...circlePublisher, createdBy: "bob" },
          { ...gitlabPublisher, createdBy: "bob" },
        ],
      );
      assert.equal(new Set(added.map(({ id }) => id)).size, 3);
      assert.ok(
        listed.every(({ createdAt }) => Math.abs(createdAt.getTime() - Date.now()) < 60_000),
      );
      assert.deepEqual(await trust.list("other"), []);
    },
  },
  {
    name: "adds all of them or none, and no more than may be",
    async run({ trustedPublishers: trust }) {
      await trust.add("demo", [githubPublisher], alice, 2);
      const crowded = { status: "crowded" } as const;
      const two = [circlePublisher, gitlabPublisher];
      assert.deepEqual(await trust.add("demo", two, alice, 2), crowded);
      assert.equal((await trust.list("demo")).length, 1);
      const both = [circlePublisher, gitlabPublisher].map((publisher) =>
        trust.add("demo", [publisher], alice, 2),
      );
      const outcomes = (await Promise.all(both)).map(({ status }) => status);
      assert.deepEqual(outcomes.toSorted(), ["added", "crowded"]);
      assert.equal((await trust.list("demo")).length, 2);
    },
  },
  {
    name: "trusts nobody twice, whatever they may do and whoever asks at the same time",
    async run({ trustedPublishers: trust }) {
      const add = (...publishers: readonly NewTrustedPublisher[]) =>
        trust.add("demo", publishers, alice, 9);
      const statuses = async (...added: readonly ReturnType<typeof add>[]) =>
        (await Promise.all(added)).map(({ status }) => status).toSorted();
      const outcomes = await statuses(add(githubPublisher), add(githubPublisher));
      assert.deepEqual(outcomes, ["added", "present"]);
      const more = { ...githubPublisher, permissions: circlePublisher.permissions };
      const { environment: _, ...elsewhere } = githubPublisher.claims;
      const numbered = { ...githubPublisher.claims, repository_id: "7" };
      const again = [
        add(more),
        add({ ...githubPublisher, claims: numbered }),
        add(circlePublisher, githubPublisher),
        add(circlePublisher, circlePublisher),
      ];
      assert.deepEqual(
        await statuses(...again),
        again.map(() => "present"),
      );
      assert.equal((await trust.list("demo")).length, 1);
      assert.deepEqual(await statuses(add({ ...githubPublisher, claims: elsewhere })), ["added"]);
    },
  },
  {
    name: "revokes a trusted publisher once, and of its own package only",
    async run({ trustedPublishers: trust }) {
      await trust.add("demo", [githubPublisher, circlePublisher], alice, 9);
      const [first, second] = await trust.list("demo");
      assert.equal(await trust.revoke("other", first?.id ?? "", alice), "absent");
      assert.equal(await trust.revoke("demo", first?.id ?? "", alice), "revoked");
      assert.equal(await trust.revoke("demo", first?.id ?? "", alice), "absent");
      assert.equal(await trust.revoke("demo", "", alice), "absent");
      assert.deepEqual(await trust.list("demo"), [second]);
    },
  },
];

function wishOf(publisher: NewTrustedPublisher): NewTrustedPublisher {
  const { provider, issuer, claims, permissions } = publisher;
  return { provider, issuer, claims, permissions };
}

function byId(a: TrustedPublisher, b: TrustedPublisher): number {
  return a.id < b.id ? -1 : 1;
}
