import { openGitHubStandIn, openOpenIdStandIn } from "@sealhouse/identity/testing";
import type { GitHubUser, OpenIdUser } from "@sealhouse/identity/testing";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isExtended, spawnHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { freePort } from "../free-port.ts";
import { hasBrowser, launchBrowser } from "./browser.ts";

const LONG = { timeout: 120_000 };
const STAFF = "00000000-0000-4000-8000-000000000001";
const OTHER = "99999999-8888-4777-8666-555555555555";
const SECTION = "Host__Authentication__";

const CLAIMS = { name: "Ada", upn: "ada@corp.example", amr: ["pwd", "mfa"] };
const member = (claims: OpenIdUser["claims"]): OpenIdUser => ({
  groups: [STAFF],
  claims: { ...CLAIMS, ...claims },
});

/** Accounts by the code of their refusal. Only `ada` may sign in. */
const MICROSOFT: Readonly<Record<string, OpenIdUser>> = {
  ada: member({}),
  "directory-wrong": member({ tid: OTHER }),
  "issuer-wrong": member({ iss: `https://sts.windows.net/${OTHER}/` }),
  guest: member({ idp: `https://sts.windows.net/${OTHER}/` }),
  "email-domain-unknown": member({ upn: undefined, email: "ada@corp.example" }),
  "email-domain-wrong": member({ upn: "ada@evil-corp.example" }),
  "groups-missing": { claims: CLAIMS },
  "required-group-missing": { groups: [OTHER], claims: CLAIMS },
  "second-factor-missing": member({ amr: ["pwd"] }),
};
const GOOGLE: Readonly<Record<string, OpenIdUser>> = {
  ada: { claims: { name: "Ada" } },
  "hosted-domain-missing": { claims: { hd: undefined } },
  "hosted-domain-wrong": { claims: { hd: "evil-acme.example" } },
  "email-not-verified": { claims: { email_verified: false } },
};
const GITHUB: Readonly<Record<string, GitHubUser>> = {
  ada: { id: 1, name: "Ada", hasSecondFactor: true },
  "membership-pending": { id: 2, hasSecondFactor: true },
  "not-a-member": { id: 3, hasSecondFactor: true },
  "scope-missing": { id: 4, scope: "read:user", hasSecondFactor: true },
  "required-group-missing": { id: 5, hasSecondFactor: true },
  "second-factor-missing": { id: 6, hasSecondFactor: false },
};

type StandIn = AsyncDisposable & { readonly settings: Readonly<Record<string, string>> };
type OpenStandIn = (redirectUris: readonly string[]) => Promise<StandIn>;

const PROVIDERS: readonly (readonly [
  label: string,
  refused: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, string>>,
  open: OpenStandIn,
])[] = [
  [
    "Microsoft",
    MICROSOFT,
    {
      RequireMfa: "true",
      Microsoft__AllowedEmailDomains: "corp.example",
      Microsoft__RequiredGroupIds: STAFF,
    },
    (redirectUris) => openOpenIdStandIn({ kind: "microsoft", users: MICROSOFT, redirectUris }),
  ],
  [
    "Google",
    GOOGLE,
    {},
    (redirectUris) => openOpenIdStandIn({ kind: "google", users: GOOGLE, redirectUris }),
  ],
  [
    "GitHub",
    GITHUB,
    { RequireMfa: "true", GitHub__TeamSlugs: "builders" },
    (redirectUris) => {
      const members = {
        ada: "active",
        "membership-pending": "pending",
        "scope-missing": "active",
        "required-group-missing": "active",
        "second-factor-missing": "active",
      } as const;
      const teams = { builders: { ada: "active", "second-factor-missing": "active" } } as const;
      const organizations = { acme: { id: 7, members, teams } };
      return openGitHubStandIn({ users: GITHUB, organizations, redirectUris });
    },
  ],
];

describe.skipIf(!hasBrowser)("people at the sign-in page of their provider", () => {
  const cleanUp = new AsyncDisposableStack();
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
    cleanUp.defer(() => browser.close());
  });
  afterAll(() => cleanUp.disposeAsync());

  test.each(isExtended ? PROVIDERS : PROVIDERS.slice(0, 1))(
    "%s signs a member in, and shows others why not",
    LONG,
    async (...given) => {
      const [label, accounts, rules, open] = given;
      const home = `http://localhost:${await freePort()}`;
      await using standIn = await open([`${home}/signin-${label.toLowerCase()}`]);
      const own = Object.entries(rules).map(([key, text]) => [`${SECTION}${key}`, text]);
      const env = { ...standIn.settings, ...Object.fromEntries(own), ASPNETCORE_URLS: home };
      await using host = await spawnHost({ env });

      const texts = new Map<string, string>();
      for (const account of Object.keys(accounts)) {
        await using context = await browser.newContext();
        const page = await context.newPage();
        await page.goto(`${home}/sign-in`);
        await page.getByRole("link", { name: `Sign in with ${label}` }).click();
        await page.getByLabel("Account").fill(account);
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.waitForURL(`${home}/**`);
        texts.set(account, await page.getByRole("document").innerText());
        const session = `__Host-sealhouse-${new URL(home).port}`;
        const names = (await context.cookies(home)).map(({ name }) => name);
        expect([account, names.includes(session)]).toEqual([account, account === "ada"]);
      }
      expect(texts.get("ada")).toContain("Ada");
      texts.delete("ada");
      const reasons = await refusalsOf(host);
      expect([...reasons.keys()].toSorted()).toEqual([...texts.keys()].toSorted());
      for (const [code, reason] of reasons) expect(texts.get(code)).toContain(reason);
    },
  );
});

/** Reasons of the refused sign-ins in the audit log, by their codes. */
async function refusalsOf(host: TestHost): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await host.cli("audit", "export");
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly type: string; readonly detail?: Refusal });
  return new Map(
    events.flatMap(({ type, detail }) =>
      type === "user.refused" && detail ? [[detail.code, detail.reason] as const] : [],
    ),
  );
}

type Refusal = { readonly code: string; readonly reason: string };
