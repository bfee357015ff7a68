import { createBoundedFetch } from "../bounded-fetch.ts";
import { applyGroupRules } from "../group-rules.ts";
import { createOpenIdConnect } from "../open-id-connect.ts";
import type { PersonTokens } from "../open-id-connect.ts";
import { createOpenIdProvider } from "../open-id-provider.ts";
import type { ConfirmedPerson } from "../open-id-provider.ts";
import { namedGroups, PROVIDER_LABELS } from "../provider-config.ts";
import type { MicrosoftConfig } from "../provider-config.ts";
import type { ProviderParts } from "../provider-options.ts";
import type { RefusedPerson, SignInProvider } from "../provider.ts";
import { refuseWithoutSecondFactor, secondFactorOf } from "../second-factor.ts";
import { isGroupId, readGroups } from "./directory-groups.ts";
import { issuerOf, judgeClaims } from "./judge-claims.ts";

/** `User.Read` is what Graph requires in order to check the groups of the person itself. */
const SCOPE = "openid profile email offline_access User.Read";
const ENTRA_CONTEXT = /^c\d{1,2}$/;
const label = PROVIDER_LABELS.microsoft;

/** Signs in members of one directory of Microsoft Entra ID. */
export function createMicrosoftProvider(parts: ProviderParts<MicrosoftConfig>): SignInProvider {
  const { provider: config, requiresMfa, mfaContexts } = parts;
  const issuer = issuerOf(config);
  const context = requiresMfa ? mfaContexts.find((value) => ENTRA_CONTEXT.test(value)) : undefined;
  return createOpenIdProvider({
    name: "microsoft",
    label,
    issuer,
    connect: createOpenIdConnect({
      ...parts,
      label,
      issuer,
      issuerSetting: "Host__Authentication__Microsoft__TenantId",
      registration: config,
    }),
    now: parts.now,
    parameters: (isFresh) => ({
      scope: SCOPE,
      ...(context !== undefined && contextParameter(context)),
      ...(isFresh && { prompt: "login" }),
    }),
    judge: (tokens, first) => judge(tokens, first, parts),
  });
}

/** Entra asks for an authentication context when the request names it. */
function contextParameter(value: string): Readonly<Record<string, string>> {
  return { claims: JSON.stringify({ id_token: { acrs: { essential: true, value } } }) };
}

async function judge(
  { claims, accessToken }: PersonTokens,
  first: boolean,
  parts: ProviderParts<MicrosoftConfig>,
): Promise<ConfirmedPerson | RefusedPerson> {
  const { provider: config, requiresMfa, mfaContexts } = parts;
  const member = judgeClaims(claims, config);
  if (member.status === "refused") return member;
  const { shown } = member;
  const hasSecondFactor = secondFactorOf(claims, mfaContexts);
  const factorRule = { label, requiresMfa: first && requiresMfa, mfaContexts };
  const withoutFactor = refuseWithoutSecondFactor(factorRule, hasSecondFactor, shown);
  if (withoutFactor) return withoutFactor;
  const configured = namedGroups(config.groups);
  const ofTeams = ((await parts.teamGroups?.()) ?? []).filter(isGroupId);
  const groups = await readGroups(claims, {
    fetch: createBoundedFetch(parts.fetch),
    graphBaseUrl: config.graphBaseUrl,
    accessToken,
    configured,
    wanted: [...new Set([...configured, ...ofTeams.map((id) => id.toLowerCase())])],
  });
  if ("status" in groups) return { ...groups, shown };
  const membership = applyGroupRules(config.groups, groups, "group");
  if ("status" in membership) return { ...membership, shown };
  return {
    ...member,
    ...membership,
    status: "verified",
    issuer: issuerOf(config),
    ...(hasSecondFactor !== undefined && { hasSecondFactor }),
  };
}
