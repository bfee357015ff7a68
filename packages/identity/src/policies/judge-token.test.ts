import { describe, expect, test } from "vitest";
import { judgeToken } from "./judge-token.ts";
import type { JudgedPolicy } from "./judge-token.ts";
import { policyActor } from "./policy-actor.ts";
import type { PolicyClaims, PolicyProvider } from "./policy.ts";
import { pinsOf } from "./provider-claims.ts";

const ORG = "0b1e7f62-44a2-4c3e-9a54-0d5e0c6f7a10";
const PROJECT = "c1b3d8a2-6c1e-4b7f-8f0a-6f2f5b8f6f11";
const CIRCLE = "oidc.circleci.com";

type Fixture = {
  readonly provider: PolicyProvider;
  readonly issuer: string;
  readonly claims: PolicyClaims;
  /** Claims of an ID token as the service issues it. */
  readonly token: Readonly<Record<string, unknown>>;
};

const github: Fixture = {
  provider: "github",
  issuer: "https://token.actions.githubusercontent.com",
  claims: { repository: "acme/demo", workflow_ref: { file: "publish.yml" }, environment: "npm" },
  token: {
    sub: "repo:acme@1/demo@7:environment:npm",
    repository: "acme/demo",
    repository_id: "7",
    repository_owner_id: "1",
    workflow_ref: "acme/demo/.github/workflows/publish.yml@refs/heads/main",
    job_workflow_ref: "acme/demo/.github/workflows/publish.yml@refs/heads/main",
    environment: "npm",
    ref: "refs/heads/main",
    event_name: "push",
  },
};
const gitlab: Fixture = {
  provider: "gitlab",
  issuer: "https://git.acme.test/forge",
  claims: {
    project_path: "acme/team/demo",
    ci_config_ref_uri: { file: ".gitlab-ci.yml" },
    ref_protected: "true",
  },
  token: {
    project_id: "12",
    namespace_id: "3",
    project_path: "acme/team/demo",
    ci_config_ref_uri: "git.acme.test/forge/acme/team/demo//.gitlab-ci.yml@refs/tags/v1",
    ref_protected: "true",
    environment: "Prod",
  },
};
const azure: Fixture = {
  provider: "azure-devops",
  issuer: `https://vstoken.dev.azure.com/${ORG}`,
  claims: { org_id: ORG, prj_id: PROJECT, def_id: "41", rpo_ref: "refs/heads/main" },
  token: {
    sub: "p://acme/project/pipeline",
    org_id: ORG,
    prj_id: PROJECT,
    def_id: "41",
    rpo_id: "9",
    rpo_ref: "refs/heads/main",
  },
};
const circle: Fixture = {
  provider: "circleci",
  issuer: `https://oidc.circleci.com/org/${ORG}`,
  claims: {
    [`${CIRCLE}/org-id`]: ORG,
    [`${CIRCLE}/project-id`]: PROJECT,
    [`${CIRCLE}/vcs-origin`]: "github.com/acme/demo",
    [`${CIRCLE}/context-ids`]: ["a", "b"],
  },
  token: {
    [`${CIRCLE}/org-id`]: ORG,
    [`${CIRCLE}/project-id`]: PROJECT,
    [`${CIRCLE}/vcs-origin`]: "github.com/acme/demo",
    [`${CIRCLE}/context-ids`]: ["a", "b", "c"],
  },
};
const kubernetes: Fixture = {
  provider: "kubernetes",
  issuer: "https://kubernetes.default.svc",
  claims: { sub: "system:serviceaccount:ci:publisher", uid: PROJECT },
  token: {
    sub: "system:serviceaccount:ci:publisher",
    "kubernetes.io": {
      namespace: "ci",
      serviceaccount: { name: "publisher", uid: PROJECT },
    },
  },
};
const entra: Fixture = {
  provider: "oidc",
  issuer: `https://login.microsoftonline.com/${ORG}/v2.0`,
  claims: { tid: ORG, oid: PROJECT, idtyp: "app", azpacr: "2", ver: "2.0" },
  token: { tid: ORG, oid: PROJECT, sub: PROJECT, idtyp: "app", azpacr: "2", ver: "2.0" },
};
const buildkite: Fixture = {
  provider: "oidc",
  issuer: "https://agent.buildkite.com",
  claims: { organization_id: ORG, pipeline_id: PROJECT },
  token: { organization_id: ORG, pipeline_id: PROJECT, build_number: 7, step_key: null },
};
const bitbucket: Fixture = {
  provider: "oidc",
  issuer: "https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc",
  claims: { repositoryUuid: `{${PROJECT}}` },
  token: { repositoryUuid: `{${PROJECT}}`, stepUuid: `{${ORG}}` },
};
const nested: Fixture = {
  ...kubernetes,
  provider: "oidc",
  claims: { '["kubernetes.io","serviceaccount","uid"]': PROJECT },
};

function judged(
  { provider, issuer, claims, token }: Fixture,
  change: Readonly<Record<string, unknown>> = {},
  policy: Partial<JudgedPolicy> = {},
) {
  const meant = { provider, issuer, claims, events: [], ...policy };
  return judgeToken(meant, { issuer, claims: { ...token, ...change } });
}

const all = { github, gitlab, azure, circle, kubernetes, entra, buildkite, bitbucket, nested };

test.each(Object.entries(all))(
  "accepts the ID token of %s, and none of another",
  (_name, fixture) => {
    expect(judged(fixture)).toEqual({ fits: true });
    const { issuer: _, ...policy } = { ...fixture, events: [] };
    const claims = fixture.token;
    expect(
      judgeToken({ ...policy, issuer: "https://x.test" }, { issuer: fixture.issuer, claims }),
    ).toEqual({ fits: false });
    for (const field of Object.keys(fixture.claims)) {
      if (field === `${CIRCLE}/vcs-origin`) continue;
      const absent = field.startsWith("[") || field === "uid" ? "kubernetes.io" : field;
      expect(judged(fixture, { [absent]: undefined }).fits, field).toBe(false);
      // Ids are texts.
      expect(judged(fixture, { [absent]: 7 }).fits, field).toBe(false);
    }
  },
);

const main = "acme/demo/.github/workflows/publish.yml@refs/heads/main";
const ours = { pinned: { repository_id: "7", repository_owner_id: "1" } };
const renamed = {
  repository: "acme/renamed",
  workflow_ref: main.replace("demo", "renamed"),
  job_workflow_ref: main.replace("demo", "renamed"),
};
const borrowed = "acme/ci/.github/workflows/x.yml";

describe("at GitHub", () => {
  test.each([
    ["another branch", { workflow_ref: main.replace("main", "x") }, {}, true],
    [
      "a branch that looks like a file",
      { workflow_ref: main.replace("main", "a@b.yml") },
      {},
      true,
    ],
    ["a name in other letters", { repository: "Acme/Demo" }, {}, true],
    ["an environment in other letters", { environment: "NPM" }, {}, true],
    ["another repository", { repository: "acme/other" }, {}, false],
    ["another workflow", { workflow_ref: main.replace("publish", "test") }, {}, false],
    [
      "a branch with the name of the file",
      { workflow_ref: "acme/demo/.github/workflows/x.yml@publish.yml@y" },
      {},
      false,
    ],
    ["a file elsewhere", { workflow_ref: main.replace("acme/", "evil/") }, {}, false],
    ["a file in a folder", { workflow_ref: main.replace("publish", "a/publish") }, {}, false],
    ["another environment", { environment: "test" }, {}, false],
    ["a list", { repository: ["acme/demo"] }, {}, false],
    ["the renamed repository with pinned ids", renamed, ours, true],
    ["the renamed repository without ids", renamed, {}, false],
    ["a remade repository", { repository_id: "8" }, ours, false],
    ["a remade owner", { repository_owner_id: "2" }, ours, false],
    ["ids that are numbers", { repository_id: 7 }, ours, false],
    ["a pull request of strangers", { event_name: "pull_request_target" }, {}, false],
    ["that event in capitals", { event_name: "Pull_Request_Target" }, {}, false],
    ["that event in a list", { event_name: ["pull_request_target"] }, {}, false],
    ["an event that is not a text", { event_name: null }, {}, false],
    ["another run's trigger", { event_name: "workflow_run" }, {}, false],
    ["an allowed trigger", { event_name: "workflow_run" }, { events: ["workflow_run"] }, true],
    [
      "a reusable workflow of strangers",
      { job_workflow_ref: `${borrowed}@refs/heads/main` },
      {},
      false,
    ],
    [
      "a reusable workflow of its own",
      { job_workflow_ref: main.replace("publish", "x") },
      {},
      true,
    ],
    ["no reusable workflow", { job_workflow_ref: undefined }, {}, true],
    [
      "the reusable workflow that the policy names",
      { job_workflow_ref: `${borrowed}@v1` },
      { claims: { ...github.claims, job_workflow_ref: borrowed } },
      true,
    ],
    [
      "another reusable workflow than the policy names",
      { job_workflow_ref: `${borrowed}.yml@v1` },
      { claims: { ...github.claims, job_workflow_ref: borrowed } },
      false,
    ],
  ] as const)("a job with %s: %j", (_what, change, policy, fits) => {
    expect(judged(github, change, policy).fits).toBe(fits);
  });
});

test.each([
  ["another project", gitlab, { project_path: "acme/demo" }],
  [
    "a file of another host",
    gitlab,
    { ci_config_ref_uri: "x.test/acme/team/demo//.gitlab-ci.yml@x" },
  ],
  ["an unprotected branch", gitlab, { ref_protected: "false" }],
  ["another organisation than its issuer's", circle, { [`${CIRCLE}/org-id`]: PROJECT }],
  ["another repository", circle, { [`${CIRCLE}/vcs-origin`]: "github.com/evil/demo" }],
  ["one context too few", circle, { [`${CIRCLE}/context-ids`]: ["a"] }],
  [
    "an account that was made again",
    kubernetes,
    { "kubernetes.io": { serviceaccount: { uid: ORG } } },
  ],
])("refuses %s", (_what, fixture, change) => {
  expect(judged(fixture, change).fits).toBe(false);
});

test("compares GitLab's environment with letter case, and needs no origin at CircleCI", () => {
  const withEnvironment = { claims: { ...gitlab.claims, environment: "prod" } };
  expect(judged(gitlab, {}, withEnvironment).fits).toBe(false);
  expect(judged(gitlab, { environment: "prod" }, withEnvironment).fits).toBe(true);
  expect(judged(circle, { [`${CIRCLE}/vcs-origin`]: undefined }).fits).toBe(true);
});

const TAGS = { ...github.claims, ref: "refs/tags/v*" };
test.each([
  ["a tag of the pattern", { ref: "refs/tags/v1.0.0" }, TAGS, true],
  ["a branch", {}, TAGS, false],
  ["a tag below the pattern", { ref: "refs/tags/v1/x" }, TAGS, false],
  ["a tag of another pattern", { ref: "refs/tags/1v" }, TAGS, false],
  ["a long tag", { ref: `refs/tags/v${"1".repeat(300)}` }, TAGS, false],
  ["a list of tags", { ref: ["refs/tags/v1"] }, TAGS, false],
  ["a tag in folders", { ref: "refs/tags/a/b" }, { ...github.claims, ref: "refs/tags/**" }, true],
  [
    "a dot that is not a pattern",
    { ref: "refs/tags/vx0" },
    { ...TAGS, ref: "refs/tags/v.0" },
    false,
  ],
  ["only tags", { ref_type: "tag" }, { ...github.claims, ref_type: "tag" }, true],
  [
    "a branch instead of tags",
    { ref_type: "branch" },
    { ...github.claims, ref_type: "tag" },
    false,
  ],
  [
    "an own runner",
    { runner_environment: "self-hosted" },
    { ...github.claims, runner_environment: "github-hosted" },
    false,
  ],
] as const)("%s: fits as the policy says", (_what, change, claims, fits) => {
  expect(judged({ ...github, claims }, change).fits).toBe(fits);
});

test("a refused job of the repository reads the value of the policy and its own", () => {
  const reasonOf = (change: Readonly<Record<string, unknown>>) => {
    const judgement = judged({ ...github, claims: TAGS }, change);
    return judgement.fits ? undefined : judgement.reason;
  };
  const tag = { ref: "refs/tags/v1" };
  const file = "acme/demo/.github/workflows/test.yml@refs/tags/v1";
  expect(reasonOf({ ...tag, workflow_ref: file })).toBe(
    `The claim workflow_ref of the ID token is "${file}", but the policy requires the file ` +
      '"publish.yml" of the repository.',
  );
  expect(reasonOf({})).toContain('is "refs/heads/main", but the policy requires "refs/tags/v*".');
  expect(reasonOf({ ...tag, environment: undefined })).toContain("is absent, but");
  expect(reasonOf({ repository: "evil/demo" })).toBeUndefined();
});

test("gives a reason only to jobs of the repository", () => {
  expect(judged(github, { environment: "x" })).toMatchObject({
    reason: 'The claim environment of the ID token is "x", but the policy requires "npm".',
  });
  expect(judged(github, { event_name: "workflow_run" })).toHaveProperty("reason");
  expect(judged(github, { repository: "evil/demo", environment: "x" })).toEqual({ fits: false });
  expect(judged(github, { repository_id: "8", environment: "x" }, ours)).toEqual({ fits: false });
});

test("takes the ids of the first ID token, and no name", () => {
  const { provider, claims } = github;
  const token = { issuer: github.issuer, claims: github.token };
  expect(pinsOf({ provider, claims }, token)).toEqual(ours.pinned);
  expect(pinsOf({ provider, claims: { ...claims, ...ours.pinned } }, token)).toEqual({});
  expect(pinsOf({ provider, claims }, { ...token, claims: { repository_id: 7 } })).toEqual({});
});

test("names the jobs of a policy constantly", () => {
  expect(policyActor({ ...github, id: ORG })).toBe(`GitHub Actions acme/demo (oidc:${ORG})`);
  const long = { repository: `acme/${"x".repeat(255)}` };
  expect(policyActor({ id: ORG, provider: "github", claims: long }).length).toBeLessThan(255);
});
