import { describe, expect, test } from "vitest";
import { publisherOf } from "./publisher-actor.ts";
import { parseTrustClaims } from "./trust-claims.ts";

const github = {
  provider: "github",
  issuer: "https://token.actions.test",
  claims: { repository: "acme/demo", workflow_ref: { file: "publish.yml" }, environment: "npm" },
} as const;
const gitlab = {
  provider: "gitlab",
  issuer: "https://git.acme.test/forge",
  claims: { project_path: "acme/team/demo", ci_config_ref_uri: { file: ".gitlab-ci.yml" } },
} as const;
const org = "0b1e7f62-44a2-4c3e-9a54-0d5e0c6f7a10";

describe("facts of a job", () => {
  const circle = {
    "oidc.circleci.com/org-id": org,
    "oidc.circleci.com/project-id": org,
    "oidc.circleci.com/pipeline-definition-id": org,
    "oidc.circleci.com/vcs-origin": "github.com/acme/demo",
    "oidc.circleci.com/context-ids": [org],
  };
  test.each([
    ["github", github.claims],
    ["github", { repository: "acme/demo", workflow_ref: { file: "a b.yaml" } }],
    ["gitlab", { ...gitlab.claims, ci_config_ref_uri: { file: "ci/publish.yml" } }],
    ["gitlab", { ...gitlab.claims, environment: "prod", project_id: "12" }],
    ["circleci", circle],
  ] as const)("is taken as %s says it: %j", (provider, claims) => {
    expect(parseTrustClaims(provider, claims)).toEqual(claims);
  });

  const { repository, workflow_ref: workflow } = github.claims;
  test.each([
    ["github", undefined, "an object"],
    ["github", { repository }, "workflow_ref is missing"],
    ["github", { workflow_ref: workflow }, "repository is missing"],
    ["github", { repository: "acme", workflow_ref: workflow }, "repository is not"],
    ["github", { repository: "acme/a/b", workflow_ref: workflow }, "repository is not"],
    ["github", { repository, workflow_ref: "publish.yml" }, "workflow_ref is not"],
    ["github", { repository, workflow_ref: { file: "../a.yml" } }, "workflow_ref is not"],
    ["github", { repository, workflow_ref: { file: "ci/a.yml" } }, "workflow_ref is not"],
    ["github", { repository, workflow_ref: { file: "a@b.yml" } }, "workflow_ref is not"],
    ["github", { repository, workflow_ref: { file: "a.yml", ref: "x" } }, "workflow_ref is not"],
    ["github", { repository, workflow_ref: workflow, environment: "" }, "environment is not"],
    ["github", { repository, workflow_ref: workflow, environment: 1 }, "environment is not"],
    ["github", { repository, workflow_ref: workflow, ref: "main" }, '"ref" is not checked'],
    ["github", { repository, workflow_ref: workflow, iss: "x" }, '"iss" is not checked'],
    ["gitlab", { ...gitlab.claims, project_path: "demo" }, "project_path is not"],
    ["circleci", { ...circle, "oidc.circleci.com/org-id": "1" }, "org-id is not"],
    ["circleci", { ...circle, "oidc.circleci.com/context-ids": [] }, "context-ids is not"],
  ] as const)("is refused where it says too little or too much: %s %j", (provider, claims, why) => {
    expect(parseTrustClaims(provider, claims)).toContain(why);
  });
});

test("a version names its trusted publisher as the public registry does", () => {
  const actor = `GitHub Actions acme/demo (oidc:${org})`;
  expect(publisherOf(actor)).toEqual({
    name: "GitHub Actions",
    email: "",
    trustedPublisher: { id: "github", oidcConfigId: `oidc:${org}` },
  });
  for (const name of ["alice", "GitHub Actions", `alice (oidc:${org})`]) {
    expect(publisherOf(name)).toEqual({ name, email: "" });
  }
});
