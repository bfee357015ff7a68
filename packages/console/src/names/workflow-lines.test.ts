import type { PolicyProvider } from "@sealhouse/identity";
import { POLICY_PROVIDERS, PROTOCOLS } from "@sealhouse/identity";
import { expect, test } from "vitest";
import { parsePublicAddress } from "../kit/page/public-address.ts";
import { workflowLines } from "./workflow-lines.ts";

const address = parsePublicAddress("https://feed.example.com:8443/registry");
if (!address) throw new Error("the address is wrong");

const LINES: Readonly<Record<PolicyProvider, readonly [string, string, string]>> = {
  github: ["uses: NuGet/login@v1", "run: npm publish", "docker login feed.example.com:8443"],
  gitlab: [
    'NUGET_ID_TOKEN: { aud: "https://feed.example.com" }',
    'NPM_ID_TOKEN: { aud: "npm:feed.example.com" }',
    'echo "$IMAGE_ID_TOKEN" | docker login feed.example.com:8443',
  ],
  "azure-devops": ["$SYSTEM_OIDCREQUESTURI", "export NPM_ID_TOKEN", "$SYSTEM_ACCESSTOKEN"],
  circleci: [
    '{"aud":"https://feed.example.com"}',
    '{"aud":"npm:feed.example.com"}',
    "circleci run",
  ],
  kubernetes: ["--audience https://feed.example.com", "--audience npm:feed.example.com", "kubectl"],
  oidc: ["/api/v2/token", "--registry https://feed.example.com:8443/registry/npm/", "docker push"],
};

test.each(
  POLICY_PROVIDERS.flatMap((provider) => PROTOCOLS.map((protocol) => [provider, protocol])),
)("%s has lines for %s", (...[provider, protocol]) => {
  const known = POLICY_PROVIDERS.find((one) => one === provider) ?? "oidc";
  const index = PROTOCOLS.findIndex((one) => one === protocol);
  const place = { address, protocol: PROTOCOLS[index] ?? "npm", name: "team/app", owner: "ada" };
  const { lines } = workflowLines({ provider: known }, place);
  const text = lines.join("\n");
  expect(text).toContain(LINES[known][index]);
  if (protocol === "oci") expect(text).toContain("docker push feed.example.com:8443/team/app:1.0");
  if (protocol === "nuget") {
    expect(text).toMatch(/user: ada|"username":"ada"/);
  }
});
