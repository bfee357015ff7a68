import type { PolicyProvider, PublishPolicy } from "@sealhouse/identity";
import type { Protocol } from "@sealhouse/request-types";
import { npmRegistryOf } from "../kit/clients/client-lines.ts";
import type { SnippetPart } from "../kit/clients/install-snippets.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";

/** A name that a build job publishes, and the registry. */
export type Published = {
  readonly address: PublicAddress;
  readonly protocol: Protocol;
  /** The name without wildcards. */
  readonly name: string;
  /** The user or team that the job publishes for. */
  readonly owner?: string | undefined;
};

/** Returns lines for the workflow of a build service, ready to be copied. */
export function workflowLines(
  { provider, fixedAudience }: Pick<PublishPolicy, "provider" | "fixedAudience">,
  published: Published,
): SnippetPart {
  switch (provider) {
    case "github":
      return file("Lines for the workflow", GITHUB[published.protocol](published));
    case "gitlab":
      return file("Job for the pipeline file", gitlabJob(published));
    case "azure-devops":
    case "circleci":
    case "kubernetes":
    case "oidc": {
      const audience = fixedAudience ?? audienceOf(published);
      const token = [TOKEN_LINES[provider](audience)];
      return file("Commands for the job", [...token, ...commandsOf(published, "$ID_TOKEN")]);
    }
  }
}

function file(label: string, lines: readonly string[]): SnippetPart {
  return { label, lines, kind: "file" };
}

/** ID tokens name the registry that they are for. */
function audienceOf({ address, protocol }: Pick<Published, "address" | "protocol">): string {
  const host = address.host.replace(/:\d+$/, "");
  return protocol === "npm" ? `npm:${host}` : `https://${host}`;
}

const PERMISSIONS = ["permissions: { id-token: write, contents: read }", "steps:"];

const GITHUB: Readonly<Record<Protocol, (published: Published) => readonly string[]>> = {
  nuget: ({ address, owner = "ci" }) => [
    ...PERMISSIONS,
    "  - uses: NuGet/login@v1",
    "    id: login",
    "    with:",
    `      user: ${owner}`,
    `      token-service-url: ${address.base}/api/v2/token`,
    `      audience: ${audienceOf({ address, protocol: "nuget" })}`,
    `  - run: dotnet nuget push out/*.nupkg --source ${address.base}/v3/index.json --api-key ` +
      "${{ steps.login.outputs.NUGET_API_KEY }}",
  ],
  npm: ({ address }) => [
    ...PERMISSIONS,
    "  - uses: actions/setup-node@v6",
    `    with: { node-version: 24, registry-url: "${npmRegistryOf(address.base)}" }`,
    "  - run: npm publish",
  ],
  oci: (published) => [
    ...PERMISSIONS,
    "  - run: |",
    '      curl -sSH "Authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" ' +
      `"$ACTIONS_ID_TOKEN_REQUEST_URL&audience=${audienceOf(published)}" \\`,
    `        | jq -r .value | ${loginLine(published)}`,
    `      ${pushLine(published)}`,
  ],
};

const VARIABLES = {
  nuget: "NUGET_ID_TOKEN",
  npm: "NPM_ID_TOKEN",
  oci: "IMAGE_ID_TOKEN",
} as const;

function gitlabJob(published: Published): readonly string[] {
  const { protocol } = published;
  const variable = VARIABLES[protocol];
  const commands = commandsOf(published, `$${variable}`);
  return [
    "publish:",
    "  id_tokens:",
    `    ${variable}: { aud: "${audienceOf(published)}" }`,
    "  script:",
    "    - |",
    ...commands.map((line) => `      ${line}`),
  ];
}

/** Shell lines that publish with an ID token in a variable. */
function commandsOf(published: Published, variable: string): readonly string[] {
  const { address, protocol, owner = "ci" } = published;
  switch (protocol) {
    case "nuget":
      return [
        `key=$(curl -sS --fail -H "Authorization: Bearer ${variable}" \\`,
        `  --json '{"username":"${owner}","tokenType":"ApiKey"}' \\`,
        `  ${address.base}/api/v2/token | jq -r .apiKey)`,
        `dotnet nuget push out/*.nupkg --source ${address.base}/v3/index.json --api-key "$key"`,
      ];
    case "npm":
      return [
        ...(variable === "$NPM_ID_TOKEN" ? [] : [`export NPM_ID_TOKEN="${variable}"`]),
        `npm publish --registry ${npmRegistryOf(address.base)}`,
      ];
    case "oci":
      return [`echo "${variable}" | ${loginLine(published)}`, pushLine(published)];
  }
}

function loginLine({ address }: Published): string {
  return `docker login ${address.host} --username ci --password-stdin`;
}

function pushLine({ address, name }: Published): string {
  return `docker push ${address.host}/${name}:1.0`;
}

type OtherProvider = Exclude<PolicyProvider, "github" | "gitlab">;

const TOKEN_LINES: Readonly<Record<OtherProvider, (audience: string) => string>> = {
  "azure-devops": () =>
    'ID_TOKEN=$(curl -sS --fail -X POST -H "Content-Length: 0" ' +
    '-H "Authorization: Bearer $SYSTEM_ACCESSTOKEN" ' +
    '"$SYSTEM_OIDCREQUESTURI?api-version=7.1" | jq -r .oidcToken)',
  circleci: (audience) =>
    `ID_TOKEN=$(circleci run oidc get --claims '${JSON.stringify({ aud: audience })}')`,
  kubernetes: (audience) =>
    `ID_TOKEN=$(kubectl create token ACCOUNT --namespace NAMESPACE --audience ${audience})`,
  oidc: (audience) => `# ID_TOKEN has an ID token of the job for the audience ${audience}`,
};
