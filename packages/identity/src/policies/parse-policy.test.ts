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
    "value",
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
