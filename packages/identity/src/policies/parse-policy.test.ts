import { expect, test } from "vitest";
import { publishPolicy } from "../testing/policies-contract.ts";
import { policyProblems } from "./parse-policy.ts";

const ORG = "0b1e7f62-44a2-4c3e-9a54-0d5e0c6f7a10";
const azure = {
  provider: "azure-devops",
  issuer: `https://vstoken.dev.azure.com/${ORG}`,
  claims: { org_id: ORG, prj_id: ORG, def_id: "1" },
  fixedAudience: "api://AzureADTokenExchange",
} as const;

test.each([
  ["as it was set up", {}],
  ["with a fixed audience of one organisation", azure],
  ["with any claim of any issuer", { provider: "oidc", claims: { '["a.b","c/d"]': "x" } }],
] as const)("a policy %s can be stored", (_what, wish) => {
  expect(policyProblems(publishPolicy(wish))).toEqual([]);
});

test.each([
  ["no https issuer", { issuer: "token.actions.test" }, "https URL"],
  ["an unknown claim", { claims: { ...publishPolicy().claims, color: "red" } }, "claim color"],
  ["no repository", { claims: { workflow_ref: { file: "x.yml" } } }, "repository or repository_id"],
  [
    "a file elsewhere",
    { claims: { repository: "a/b", workflow_ref: { file: "../x.yml" } } },
    "file name",
  ],
  ["no file", { claims: { repository: "a/b", workflow_ref: "x.yml" } }, "workflow_ref"],
  ["no claims", { provider: "oidc", claims: {} }, "at least one claim"],
  ["no names", { patterns: [] }, "name or pattern"],
  ["a wrong pattern", { patterns: ["a b"] }, "not a name pattern"],
  ["no protocols", { protocols: [] }, "protocol"],
  ["the scope admin", { scopes: ["admin"] }, "scope admin"],
  ["the scope delete", { scopes: ["delete"] }, "scope delete"],
  ["images without push", { protocols: ["oci"] }, "Images require"],
  ["a long life", { lifeSeconds: 3_601 }, "1 to 60 minutes"],
  ["an unknown event", { events: ["push"] }, "event push"],
  [
    "a fixed audience of everybody",
    { fixedAudience: "api://AzureADTokenExchange" },
    "fixed audience",
  ],
  ["another fixed audience", { ...azure, fixedAudience: "api://x" }, "fixed audience"],
] as const)("a policy with %s cannot be stored", (_what, wish, words) => {
  expect(policyProblems(publishPolicy(wish)).join(" ")).toContain(words);
});

const CLAIMS = {
  github: { repository: "acme/demo", workflow_ref: { file: "publish.yml" } },
  gitlab: { project_path: "acme/demo", ci_config_ref_uri: { file: ".gitlab-ci.yml" } },
} as const;

test.each([
  ["github", "workflow_ref", { file: ".github/workflows/publish.yml" }],
  ["github", "workflow_ref", { file: "publish.yml,test.yml" }],
  ["github", "workflow_ref", { file: " publish.yml" }],
  ["github", "workflow_ref", { file: "publish" }],
  ["github", "workflow_ref", { file: "publish.yml@main" }],
  ["github", "repository", "https://github.com/acme/z"],
  ["github", "repository", "acme"],
  ["github", "repository", "acme/z.git"],
  ["github", "repository", "acme/a,acme/b"],
  ["github", "repository", "acme/demo "],
  ["github", "repository_id", "abc"],
  ["github", "repository_owner_id", "acme"],
  ["github", "environment", " release"],
  ["github", "ref", "refs/tags/v* "],
  ["github", "ref", "refs/tags/[v]"],
  ["github", "ref", "*a*b*c*d*"],
  ["github", "ref_type", "tags"],
  ["github", "ref_protected", "yes"],
  ["github", "runner_environment", "ubuntu-latest"],
  ["github", "job_workflow_ref", "acme/ci/publish.yml"],
  ["gitlab", "project_path", "acme"],
  ["gitlab", "project_path", "https://gitlab.com/acme/demo"],
  ["gitlab", "project_path", "acme/demo.git"],
  ["gitlab", "project_id", "acme/demo"],
  ["gitlab", "ci_config_ref_uri", { file: "/.gitlab-ci.yml" }],
  ["gitlab", "ci_config_ref_uri", { file: "../ci.yml" }],
  ["gitlab", "ci_config_ref_uri", { file: "ci/../x.yml" }],
  ["gitlab", "ref_protected", "1"],
  ["gitlab", "runner_environment", "github-hosted"],
] as const)("a policy of %s with %s %j can never fit and is refused", (provider, name, claim) => {
  const claims = { ...CLAIMS[provider], [name]: claim };
  const problems = policyProblems(publishPolicy({ provider, claims }));
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(name);
});

test.each([
  ["github", "workflow_ref", { file: "publish it.yaml" }],
  ["github", "repository", "Acme/z.github.io"],
  ["github", "environment", "Production, Europe"],
  ["github", "ref", "refs/tags/v*"],
  ["github", "ref", "refs/heads/**"],
  ["github", "ref_type", "tag"],
  ["github", "runner_environment", "github-hosted"],
  ["github", "job_workflow_ref", "acme/ci/.github/workflows/publish.yml"],
  ["github", "event_name", "push"],
  ["gitlab", "project_path", "acme/team/demo"],
  ["gitlab", "ci_config_ref_uri", { file: "ci/publish.yml" }],
  ["gitlab", "ref", "v*"],
  ["gitlab", "ref_path", "refs/tags/v*"],
  ["gitlab", "environment_protected", "true"],
] as const)("a policy of %s with %s %j can be stored", (provider, name, claim) => {
  const claims = { ...CLAIMS[provider], [name]: claim };
  expect(policyProblems(publishPolicy({ provider, claims }))).toEqual([]);
});

test("a policy with the organization of another issuer is refused", () => {
  const other = "5b1e7f62-44a2-4c3e-9a54-0d5e0c6f7a10";
  const wish = publishPolicy({ ...azure, claims: { ...azure.claims, org_id: other } });
  expect(policyProblems(wish)).toEqual([
    "The claim org_id differs from the organization of the issuer.",
  ]);
});
