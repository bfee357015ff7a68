import { applyGroupRules } from "../group-rules.ts";
import type { Membership } from "../group-rules.ts";
import { fieldsOf } from "../json-fields.ts";
import { namedGroups } from "../provider-config.ts";
import type { GitHubConfig } from "../provider-config.ts";
import type { RefusedPerson } from "../provider.ts";
import { refuse } from "../refusal.ts";
import type { ApiAnswer, GitHubApi } from "./github-api.ts";

export type MemberQuestion = {
  readonly api: GitHubApi;
  readonly config: GitHubConfig;
  readonly accessToken: string;
  readonly login: string;
  /** The organization of an earlier answer; undefined accepts any with the login. */
  readonly organizationId: number | undefined;
  /** Slugs of further teams to report. */
  readonly teams: readonly string[];
};

/** An active member of the organization. */
export type OrganizationMember = Membership & { readonly organizationId: number };

/**
 * Asks about the organization and then about each team: GitHub's lists leave out organizations that
 * the token may not see.
 */
export async function readMember(
  question: MemberQuestion,
): Promise<OrganizationMember | RefusedPerson> {
  const { api, config, accessToken, login } = question;
  const path = `/user/memberships/orgs/${encodeURIComponent(config.organization)}`;
  const answer = await api.get(path, accessToken);
  const organizationId = judgeMembership(answer, question);
  if (typeof organizationId !== "number") return organizationId;
  const wanted = new Set([...namedGroups(config.groups), ...question.teams]);
  const groups: string[] = [];
  for (const slug of wanted) {
    const team = await api.get(teamPath(config, slug, login), accessToken);
    if (team.status === 200 && team.fields["state"] === "active") groups.push(slug);
    else if (team.status === 401 || team.status === 403) return refuseAnswer(team, config);
  }
  const membership = applyGroupRules(config.groups, groups, "team");
  return "status" in membership ? membership : { ...membership, organizationId };
}

function teamPath({ organization }: GitHubConfig, slug: string, login: string): string {
  const [org, team, member] = [organization, slug, login].map(encodeURIComponent);
  return `/orgs/${org}/teams/${team}/memberships/${member}`;
}

function judgeMembership(
  answer: ApiAnswer,
  { config, organizationId }: MemberQuestion,
): number | RefusedPerson {
  const { organization } = config;
  if (answer.status !== 200) return refuseAnswer(answer, config);
  if (answer.fields["state"] !== "active") {
    return refuse(
      "membership-pending",
      `Your invitation to ${organization} is not accepted yet. Accept it at ` +
        `${config.baseUrl}/orgs/${organization}/invitation, and sign in again.`,
    );
  }
  const { id } = fieldsOf(answer.fields["organization"]);
  if (typeof id !== "number" || (organizationId !== undefined && organizationId !== id)) {
    return refuse(
      "organization-changed",
      `The name ${organization} belongs to another organization than before. Ask the operator to ` +
        "check Host__Authentication__GitHub__Organization.",
    );
  }
  return id;
}

/** The sentences of 401, 403 and 404. */
function refuseAnswer(answer: ApiAnswer, config: GitHubConfig): RefusedPerson {
  const { organization } = config;
  if (answer.status === 401) {
    return refuse(
      "access-ended",
      "GitHub has ended the access of this registry to your account. Sign in again.",
    );
  }
  if (answer.status === 404) {
    return refuse(
      "not-a-member",
      `Your account is not a member of ${organization}. Sign in with another account, or ask an ` +
        "owner of the organization to invite you.",
    );
  }
  if (answer.sso !== undefined) {
    return refuse(
      "saml-required",
      `${organization} requires single sign-on. Sign in there at ` +
        `${ssoAddress(answer.sso, config)}, and then here again.`,
    );
  }
  return refuse(
    "organization-restricted",
    `${organization} restricts OAuth apps. Ask an owner of the organization to approve this ` +
      "registry under Third-party access, and sign in again.",
  );
}

/** The address in the header, when it is GitHub's own. */
function ssoAddress(sso: string, { baseUrl, organization }: GitHubConfig): string {
  const address = /\burl=(\S+)/.exec(sso)?.[1];
  const isOwn =
    address !== undefined &&
    URL.canParse(address) &&
    new URL(address).origin === new URL(baseUrl).origin;
  return isOwn ? address : `${baseUrl}/orgs/${organization}/sso`;
}
