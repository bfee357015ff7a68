import type { Configuration } from "openid-client";
import {
  addressOf,
  hasState,
  isOnThisMachine,
  protocolParameters,
  stateMismatch,
} from "../authorization-code.ts";
import { createBoundedFetch, TIMEOUT_SECONDS } from "../bounded-fetch.ts";
import type { BoundedFetch } from "../bounded-fetch.ts";
import { refusalOf } from "../failures.ts";
import { decodeGrant, encodeGrant } from "../grant.ts";
import { fieldsOf } from "../json-fields.ts";
import { PROVIDER_LABELS } from "../provider-config.ts";
import type { GitHubConfig } from "../provider-config.ts";
import type { ProviderParts } from "../provider-options.ts";
import type {
  MembershipCheck,
  RefusedPerson,
  SignInAttempt,
  SignInProvider,
  VerifiedPerson,
} from "../provider.ts";
import { isFaultOfSettings, refuse } from "../refusal.ts";
import { refuseWithoutSecondFactor } from "../second-factor.ts";
import { readAccount } from "./github-account.ts";
import { createGitHubApi } from "./github-api.ts";
import type { GitHubApi } from "./github-api.ts";
import { readMember } from "./organization-member.ts";

const SCOPE = "read:user read:org user:email";
/** Each of these tells about memberships. */
const ORGANIZATION_SCOPES = ["read:org", "write:org", "admin:org"];
const label = PROVIDER_LABELS.github;
const CANNOT_ASK = "GitHub cannot ask you to sign in again. Confirm with a passkey.";

/** Signs in members of one organization of GitHub, which has no ID tokens. */
export function createGitHubProvider(parts: ProviderParts<GitHubConfig>): SignInProvider {
  const { provider: config } = parts;
  const fetch = createBoundedFetch(parts.fetch);
  const api = createGitHubApi(config, fetch);
  const judge = createJudge(parts, api);
  return {
    name: "github",
    label,
    issuer: config.baseUrl,
    // It answers at once when the person is signed in there.
    canAskAgain: false,
    async start(attempt) {
      const { buildAuthorizationUrl } = await import("openid-client");
      return buildAuthorizationUrl(await openConfiguration(config, fetch), {
        ...(await protocolParameters(attempt)),
        scope: SCOPE,
        allow_signup: "false",
      });
    },
    async finish(callback, attempt) {
      if (attempt.freshSince) return refuse("sign-in-not-fresh", CANNOT_ASK);
      const token = await exchange(callback, attempt, { config, fetch });
      return "status" in token ? token : judge({ accessToken: token.accessToken });
    },
    check: (grant) => check(grant, judge),
    async forget(grant) {
      const kept = decodeGrant(grant, ["accessToken"]);
      if (kept) await api.revoke(kept.accessToken);
    },
  };
}

type Exchanged = { readonly accessToken: string };

async function exchange(
  callback: URL,
  attempt: SignInAttempt,
  { config, fetch }: { readonly config: GitHubConfig; readonly fetch: BoundedFetch },
): Promise<Exchanged | RefusedPerson> {
  if (!hasState(callback, attempt)) return stateMismatch();
  const { authorizationCodeGrant } = await import("openid-client");
  try {
    const tokens = await authorizationCodeGrant(
      await openConfiguration(config, fetch),
      addressOf(callback, attempt),
      { pkceCodeVerifier: attempt.verifier, expectedState: attempt.state },
    );
    const scopes = tokens.scope?.split(/[ ,]+/) ?? [];
    if (scopes.some((scope) => ORGANIZATION_SCOPES.includes(scope))) {
      return { accessToken: tokens.access_token };
    }
  } catch (error) {
    return refusalOf(error, { label });
  }
  return refuse(
    "scope-missing",
    "GitHub did not let this registry read your organizations. Sign in again, and leave all " +
      "permissions selected.",
  );
}

/** GitHub has no discovery. */
async function openConfiguration(
  config: GitHubConfig,
  fetch: BoundedFetch,
): Promise<Configuration> {
  const library = await import("openid-client");
  const pages = `${config.baseUrl}/login/oauth`;
  const configuration = new library.Configuration(
    {
      issuer: pages,
      authorization_endpoint: `${pages}/authorize`,
      token_endpoint: `${pages}/access_token`,
    },
    config.clientId,
    config.clientSecret,
  );
  configuration[library.customFetch] = async (address, init) =>
    errorAs400(await fetch(address, init));
  configuration.timeout = TIMEOUT_SECONDS;
  if (isOnThisMachine(config.baseUrl)) library.allowInsecureRequests(configuration);
  return configuration;
}

/** GitHub answers errors with status 200. */
async function errorAs400(answer: Response): Promise<Response> {
  if (answer.status !== 200) return answer;
  const document: unknown = await answer
    .clone()
    .json()
    .catch(() => undefined);
  if (!("error" in fieldsOf(document))) return answer;
  return new Response(answer.body, { status: 400, headers: answer.headers });
}

/** A token, with the account and organization of an earlier answer. */
type Question = {
  readonly accessToken: string;
  readonly subject?: string;
  readonly organizationId?: number;
};
type Judge = (question: Question) => Promise<VerifiedPerson | RefusedPerson>;

function createJudge(parts: ProviderParts<GitHubConfig>, api: GitHubApi): Judge {
  const { provider: config, requiresMfa, teamGroups } = parts;
  const organization = rememberOrganization(parts);
  return async (question) => {
    const { accessToken } = question;
    const account = await readAccount(api, question);
    if (account.status === "refused") return account;
    const { shown, hasSecondFactor } = account;
    const isFirst = question.subject === undefined;
    const factorRule = { label, requiresMfa: isFirst && requiresMfa, mfaContexts: [] };
    const withoutFactor = refuseWithoutSecondFactor(factorRule, hasSecondFactor, shown);
    if (withoutFactor) return withoutFactor;
    const member = await readMember({
      api,
      config,
      accessToken,
      login: shown,
      organizationId: config.organizationId ?? question.organizationId ?? (await organization.id()),
      teams: (await teamGroups?.())?.map((slug) => slug.toLowerCase()) ?? [],
    });
    if ("status" in member) return { ...member, shown };
    const { organizationId, ...membership } = member;
    await organization.keep(organizationId);
    return {
      ...account,
      ...membership,
      status: "verified",
      issuer: config.baseUrl,
      grant: encodeGrant({ accessToken, subject: account.subject, organizationId }),
    };
  };
}

/** Remembers the id of the organization: the configured one, or that of the first answer. */
function rememberOrganization({
  provider: config,
  knownOrganization,
}: Pick<ProviderParts<GitHubConfig>, "provider" | "knownOrganization">) {
  const url = `${config.baseUrl}/${config.organization.toLowerCase()}`;
  let known: number | undefined;
  return {
    async id() {
      known ??= await knownOrganization?.find(url);
      return known;
    },
    async keep(id: number) {
      if (id === known) return;
      await knownOrganization?.keep(url, id);
      known = id;
    },
  };
}

async function check(grant: Uint8Array, judge: Judge): Promise<MembershipCheck> {
  const kept = decodeGrant(grant, ["accessToken", "subject"]);
  if (!kept) return { outcome: "unknown", reason: "The stored grant cannot be read." };
  const { accessToken, subject, organizationId } = kept;
  const question = {
    accessToken,
    subject,
    ...(typeof organizationId === "number" && { organizationId }),
  };
  const judged = await judge(question).catch((error: Error) => error);
  if (judged instanceof Error) return { outcome: "unknown", reason: judged.message };
  if (judged.status === "refused") {
    const outcome = isFaultOfSettings(judged) ? "unknown" : "gone";
    return { outcome, reason: judged.reason };
  }
  const { role, groups } = judged;
  return { outcome: "member", groups, grant, ...(role !== undefined && { role }) };
}
