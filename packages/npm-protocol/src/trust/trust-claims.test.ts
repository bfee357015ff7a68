import { describe, expect, test } from "vitest";
import { actorOf, publisherOf } from "./publisher-actor.ts";
import { isTrusted, parseTrustClaims, pinnedClaims } from "./trust-claims.ts";

const github = {
  provider: "github",
  issuer: "https://token.actions.test",
  claims: { repository: "acme/demo", workflow_ref: { file: "publish.yml" }, environment: "npm" },
} as const;
const githubRun = {
  repository: "acme/demo",
  workflow_ref: "acme/demo/.github/workflows/publish.yml@refs/heads/main",
  environment: "npm",
  repository_id: "7",
};
const gitlab = {
  provider: "gitlab",
  issuer: "https://git.acme.test/forge",
  claims: { project_path: "acme/team/demo", ci_config_ref_uri: { file: ".gitlab-ci.yml" } },
} as const;
const gitlabRun = {
  project_path: "acme/team/demo",
  ci_config_ref_uri: "git.acme.test/forge/acme/team/demo//.gitlab-ci.yml@refs/tags/v1",
};
const org = "0b1e7f62-44a2-4c3e-9a54-0d5e0c6f7a10";

describe("a job that is trusted", () => {
  test.each([
    ["as it was set up", {}, true],
    ["on another branch", { workflow_ref: run("acme/demo", "publish.yml@refs/heads/x") }, true],
    ["of another repository", { repository: "acme/other" }, false],
    ["of a repository in other letters", { repository: "Acme/demo" }, false],
    ["of another workflow", { workflow_ref: run("acme/demo", "test.yml@refs/heads/main") }, false],
    ["that only begins so", { workflow_ref: run("acme/demo", "publish.yml.yml@x") }, false],
    ["of a file elsewhere", { workflow_ref: run("evil/demo", "publish.yml@x") }, false],
    ["of no workflow", { workflow_ref: undefined }, false],
    ["of another environment", { environment: "test" }, false],
    ["of no environment", { environment: undefined }, false],
    ["of a list", { repository: ["acme/demo"] }, false],
  ] as const)("at GitHub: one %s", (_what, claims, trusted) => {
    const token = { issuer: github.issuer, claims: { ...githubRun, ...claims } };
    expect(isTrusted(github, token)).toBe(trusted);
  });

  test.each([
    ["as it was set up", {}, true],
    ["of another project", { project_path: "acme/demo" }, false],
    [
      "of another file",
      { ci_config_ref_uri: "git.acme.test/forge/acme/team/demo//x.yml@y" },
      false,
    ],
    [
      "of a file on another host",
      { ci_config_ref_uri: `gitlab.com/acme/team/demo//.gitlab-ci.yml@x` },
      false,
    ],
    [
      "of a file in a folder",
      { ci_config_ref_uri: "git.acme.test/forge/acme/team/demo//a/.gitlab-ci.yml@x" },
      false,
    ],
    ["of no file", { ci_config_ref_uri: null }, false],
  ] as const)("at GitLab: one %s", (_what, claims, trusted) => {
    const token = { issuer: gitlab.issuer, claims: { ...gitlabRun, ...claims } };
    expect(isTrusted(gitlab, token)).toBe(trusted);
  });

  test("is not one of which another issuer says the same", () => {
    const token = { issuer: gitlab.issuer, claims: githubRun };
    expect(isTrusted(github, token)).toBe(false);
  });

  test("has all the contexts that are wanted", () => {
    const publisherWith = (contexts: readonly string[]) => ({
      provider: "circleci" as const,
      issuer: "https://oidc.circleci.test",
      claims: { "oidc.circleci.com/context-ids": contexts },
    });
    const claims = { "oidc.circleci.com/context-ids": ["a", "b"] };
    const token = { issuer: "https://oidc.circleci.test", claims };
    expect(isTrusted(publisherWith(["a"]), token)).toBe(true);
    expect(isTrusted(publisherWith(["a", "c"]), token)).toBe(false);
    expect(isTrusted(publisherWith(["a"]), { ...token, claims: {} })).toBe(false);
  });

  test("is known by its numbers from its first token on", () => {
    const pinned = pinnedClaims("github", githubRun);
    expect(pinned).toEqual({ repository_id: "7" });
    const pinnedPublisher = { ...github, claims: { ...pinned, ...github.claims } };
    const token = (claims: object) => ({
      issuer: github.issuer,
      claims: { ...githubRun, ...claims },
    });
    expect(isTrusted(pinnedPublisher, token({}))).toBe(true);
    expect(isTrusted(pinnedPublisher, token({ repository_id: "8" }))).toBe(false);
  });
});

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
  const actor = actorOf({ ...github, id: org });
  expect(actor).toBe(`GitHub Actions acme/demo (oidc:${org})`);
  expect(publisherOf(actor)).toEqual({
    name: "GitHub Actions",
    email: "",
    trustedPublisher: { id: "github", oidcConfigId: `oidc:${org}` },
  });
  for (const name of ["alice", "GitHub Actions", `alice (oidc:${org})`]) {
    expect(publisherOf(name)).toEqual({ name, email: "" });
  }
  const long = { project_path: `acme/${"x".repeat(255)}` };
  expect(actorOf({ id: org, provider: "gitlab", claims: long }).length).toBeLessThan(255);
});

function run(repository: string, rest: string): string {
  return `${repository}/.github/workflows/${rest}`;
}
