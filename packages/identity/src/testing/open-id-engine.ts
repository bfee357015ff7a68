import type Provider from "oidc-provider";
import { announcedKey } from "./forged-id-token.ts";
import type { SigningKey } from "./forged-id-token.ts";

export type EngineOptions = {
  readonly issuer: string;
  /** Path of the issuer. */
  readonly prefix: string;
  readonly key: SigningKey;
  readonly cookieKey: string;
  readonly client: { readonly id: string; readonly secret: string };
  readonly redirectUris: readonly string[];
  /** Whether refresh tokens can be revoked. */
  readonly revokes: boolean;
  isEnabled(login: string): boolean;
  /** Returns the ID token to send instead. */
  alter(idToken: string): Promise<string>;
};

const SCOPES = ["openid", "profile", "email", "offline_access", "User.Read"];

/** The OpenID provider of a stand-in. Its rows are in memory, and all engines share them. */
export async function makeProvider(options: EngineOptions): Promise<Provider> {
  const { default: OpenIdProvider } = await import("oidc-provider");
  const { issuer, prefix, key, client, redirectUris, revokes } = options;
  const provider = new OpenIdProvider(issuer, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        token_endpoint_auth_method: "client_secret_post",
        redirect_uris: [...redirectUris],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
      },
    ],
    jwks: { keys: [await announcedKey(key)] },
    scopes: SCOPES,
    pkce: { required: () => true },
    cookies: { keys: [options.cookieKey] },
    features: { devInteractions: { enabled: false }, revocation: { enabled: revokes } },
    interactions: { url: (_, { uid }) => `${prefix}/interaction/${uid}` },
    issueRefreshToken: async () => true,
    async findAccount(_, id) {
      return options.isEnabled(id)
        ? { accountId: id, claims: async () => ({ sub: id }) }
        : undefined;
    },
    // As in an organization whose administrator has allowed the registry.
    async loadExistingGrant({ oidc }) {
      const { clientId } = oidc.client ?? {};
      const { accountId } = oidc.session ?? {};
      if (clientId === undefined || accountId === undefined) return undefined;
      const grant = new oidc.provider.Grant({ clientId, accountId });
      grant.addOIDCScope(SCOPES.join(" "));
      await grant.save();
      return grant;
    },
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: 60,
      Grant: 86_400,
      IdToken: 3600,
      Interaction: 600,
      RefreshToken: 86_400,
      Session: 3600,
    },
  });
  provider.use(async (context, next) => {
    await next();
    const { body } = context;
    if (typeof body !== "object" || body === null || !("id_token" in body)) return;
    context.body = { ...body, id_token: await options.alter(String(body.id_token)) };
  });
  return provider;
}
