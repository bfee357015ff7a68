import { createOpenIdConnect } from "./open-id-connect.ts";
import type { PersonTokens } from "./open-id-connect.ts";
import { createOpenIdProvider } from "./open-id-provider.ts";
import type { ConfirmedPerson } from "./open-id-provider.ts";
import { PROVIDER_LABELS } from "./provider-config.ts";
import type { GoogleConfig } from "./provider-config.ts";
import type { ProviderParts } from "./provider-options.ts";
import type { RefusedPerson, SignInProvider } from "./provider.ts";
import { refuse } from "./refusal.ts";
import { refuseWithoutSecondFactor, secondFactorOf } from "./second-factor.ts";

const label = PROVIDER_LABELS.google;

/** Signs in members of a Google Workspace organization. */
export function createGoogleProvider(parts: ProviderParts<GoogleConfig>): SignInProvider {
  const { provider: config } = parts;
  const { hostedDomains, issuer } = config;
  return createOpenIdProvider({
    name: "google",
    label,
    issuer,
    connect: createOpenIdConnect({ ...parts, label, issuer, registration: config }),
    now: parts.now,
    parameters: (isFresh) => ({
      scope: "openid email profile",
      // A refresh token comes with `consent` only.
      access_type: "offline",
      prompt: isFresh ? "select_account consent" : "consent",
      ...(isFresh && { claims: JSON.stringify({ id_token: { auth_time: { essential: true } } }) }),
      // Selects the account on Google's page. The claim decides.
      hd: hostedDomains.length === 1 ? (hostedDomains[0] ?? "*") : "*",
    }),
    judge: async (tokens, first) => judge(tokens, first, parts),
  });
}

function judge(
  { claims }: PersonTokens,
  first: boolean,
  { provider, requiresMfa, mfaContexts }: ProviderParts<GoogleConfig>,
): ConfirmedPerson | RefusedPerson {
  const email = textOf(claims["email"]);
  const shown = email ?? claims.sub;
  const refusal = refuseAccount(claims, provider, shown);
  if (refusal) return refusal;
  const hasSecondFactor = secondFactorOf(claims, mfaContexts);
  const factorRule = { label, requiresMfa: first && requiresMfa, mfaContexts };
  return (
    refuseWithoutSecondFactor(factorRule, hasSecondFactor, shown) ?? {
      status: "verified",
      issuer: provider.issuer,
      subject: claims.sub,
      shown,
      displayName: textOf(claims["name"]) ?? shown,
      groups: [],
      ...(email !== undefined && { email }),
      ...(hasSecondFactor !== undefined && { hasSecondFactor }),
    }
  );
}

/** Only `hd` of the ID token tells the organization; a personal account may have any address. */
function refuseAccount(
  claims: PersonTokens["claims"],
  { hostedDomains }: GoogleConfig,
  shown: string,
): RefusedPerson | undefined {
  const domains = hostedDomains.join(" or ");
  const domain = textOf(claims["hd"])?.toLowerCase();
  if (domain === undefined) {
    return refuse(
      "hosted-domain-missing",
      `Your account is a personal one, and this registry is for accounts of ${domains}. Sign in ` +
        "with the account of your organization.",
      shown,
    );
  }
  if (!hostedDomains.includes(domain)) {
    return refuse(
      "hosted-domain-wrong",
      `Your account belongs to ${domain}, and this registry is for accounts of ${domains}. Sign ` +
        "in with an account of that organization.",
      shown,
    );
  }
  if (claims["email_verified"] === true) return undefined;
  return refuse(
    "email-not-verified",
    "Google has not verified the address of your account. Verify it in the settings of the " +
      "account, and sign in again.",
    shown,
  );
}

function textOf(claim: unknown): string | undefined {
  return typeof claim === "string" && claim !== "" ? claim : undefined;
}
