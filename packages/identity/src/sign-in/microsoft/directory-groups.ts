import type { BoundedFetch } from "../bounded-fetch.ts";
import { unavailable } from "../failures.ts";
import { fieldsOf } from "../json-fields.ts";
import type { RefusedPerson } from "../provider.ts";
import { refuse } from "../refusal.ts";
import type { Claims } from "./judge-claims.ts";

/** The most ids in one call of Microsoft Graph. */
const IDS_MAX = 20;
/** Graph does not tell, however often it is asked. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403]);
const GUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether Graph accepts a text as the id of a group. */
export function isGroupId(text: string): boolean {
  return GUID.test(text);
}

export type GroupQuestion = {
  readonly fetch: BoundedFetch;
  readonly graphBaseUrl: string;
  readonly accessToken: string;
  /** Groups of the configuration, without which the claim has to be there. */
  readonly configured: readonly string[];
  /** Lower-case ids. */
  readonly wanted: readonly string[];
};

/**
 * The wanted groups that the person belongs to. They come from the claim `groups`. When it was left
 * out because of its size, Graph is asked at the configured address; the address in the token is
 * never called. Groups that only teams want never refuse a person.
 *
 * @throws SignInUnavailableError when Graph does not answer
 */
export async function readGroups(
  claims: Claims,
  question: GroupQuestion,
): Promise<readonly string[] | RefusedPerson> {
  const { configured, wanted } = question;
  if (wanted.length === 0) return [];
  const claim = claims["groups"];
  if (Array.isArray(claim)) {
    const groups = groupsOfClaim(claim, wanted);
    return "status" in groups && configured.length === 0 ? [] : groups;
  }
  if (configured.length === 0 || isTooLong(claims)) return askGraph(question);
  return refuse(
    "groups-missing",
    "The registration emits no groups, so this registry cannot decide. Ask the operator to add " +
      "the groups claim to the registration.",
  );
}

function groupsOfClaim(
  claim: readonly unknown[],
  wanted: readonly string[],
): readonly string[] | RefusedPerson {
  const ids = claim.filter((id) => typeof id === "string").map((id) => id.toLowerCase());
  if (ids.length > 0 && !ids.some((id) => GUID.test(id))) {
    return refuse(
      "groups-not-ids",
      "The registration emits names of groups instead of their ids. Ask the operator to emit the " +
        "group id.",
    );
  }
  return wanted.filter((id) => ids.includes(id));
}

/** Instead of more than 200 groups, a token names their address (`hasgroups` in other flows). */
function isTooLong(claims: Claims): boolean {
  return claims["hasgroups"] === true || "groups" in fieldsOf(claims["_claim_names"]);
}

async function askGraph(question: GroupQuestion): Promise<readonly string[] | RefusedPerson> {
  const found: string[] = [];
  for (let start = 0; start < question.wanted.length; start += IDS_MAX) {
    const answer = await checkGroups(question, question.wanted.slice(start, start + IDS_MAX));
    if ("status" in answer) return answer;
    found.push(...answer);
  }
  return found;
}

async function checkGroups(
  { fetch, graphBaseUrl, accessToken, configured }: GroupQuestion,
  groupIds: readonly string[],
): Promise<readonly string[] | RefusedPerson> {
  const answer = await fetch(`${graphBaseUrl}/v1.0/me/checkMemberGroups`, {
    method: "POST",
    headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
    body: JSON.stringify({ groupIds }),
  }).catch((error: unknown) => {
    throw unavailable("Microsoft Graph", error);
  });
  if (configured.length === 0 && REFUSALS.has(answer.status)) return [];
  if (answer.status === 401 || answer.status === 403) {
    return refuse(
      "graph-refused",
      "Microsoft Graph does not tell your groups. Ask the operator to grant the permission " +
        "User.Read to the registration.",
    );
  }
  if (answer.status !== 200) {
    throw unavailable("Microsoft Graph", new Error(`it answered with status ${answer.status}`));
  }
  const ids = await parseIds(answer);
  return groupIds.filter((id) => ids.includes(id));
}

async function parseIds(answer: Response): Promise<readonly string[]> {
  const document: unknown = await answer.json().catch(() => undefined);
  const { value } = fieldsOf(document);
  if (!Array.isArray(value)) {
    throw unavailable("Microsoft Graph", new Error("it answered without a list of groups"));
  }
  return value.filter((id) => typeof id === "string").map((id) => id.toLowerCase());
}
