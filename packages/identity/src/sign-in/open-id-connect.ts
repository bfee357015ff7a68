import type { Configuration, IDToken } from "openid-client";
import {
  addressOf,
  hasState,
  isOnThisMachine,
  protocolParameters,
  stateMismatch,
} from "./authorization-code.ts";
import { createBoundedFetch, TIMEOUT_SECONDS } from "./bounded-fetch.ts";
import { oauthErrorOf, refusalOf, unavailable } from "./failures.ts";
import type { ClientRegistration } from "./provider-config.ts";
import type { RefusedPerson, SignInAttempt } from "./provider.ts";

export type OpenIdOptions = {
  /** `Microsoft`; for sentences. */
  readonly label: string;
  readonly issuer: string;
  /** Full key of the setting that decides the issuer. */
  readonly issuerSetting?: string;
  readonly registration: ClientRegistration;
  readonly fetch: typeof fetch;
  readonly now: () => Date;
};

/** The tokens of a person, with a verified ID token. */
export type PersonTokens = {
  readonly status: "tokens";
  readonly claims: IDToken;
  readonly accessToken: string;
  readonly refreshToken?: string;
};

/** Outcome of a refresh token: the tokens of now, a refusal, or nothing certain. */
export type Refreshed =
  | PersonTokens
  | { readonly status: "ended" }
  | { readonly status: "unknown"; readonly reason: string };

/** Asks one OpenID provider. */
export type OpenIdConnect = {
  /** Returns the provider's page. `parameters` are added to those of the protocol. */
  start(attempt: SignInAttempt, parameters: Readonly<Record<string, string>>): Promise<URL>;
  exchange(callback: URL, attempt: SignInAttempt): Promise<PersonTokens | RefusedPerson>;
  refresh(refreshToken: string): Promise<Refreshed>;
  /** Revokes a refresh token when the provider offers that. */
  revoke(refreshToken: string): Promise<void>;
};

/** The library is loaded at the first sign-in. */
const loadLibrary = () => import("openid-client");

export function createOpenIdConnect(options: OpenIdOptions): OpenIdConnect {
  const { label } = options;
  const discovery = createDiscovery(options);
  return {
    async start(attempt, parameters) {
      const { buildAuthorizationUrl } = await loadLibrary();
      const configuration = await discovery.read();
      return buildAuthorizationUrl(configuration, {
        ...parameters,
        ...(await protocolParameters(attempt)),
        nonce: attempt.nonce,
      });
    },
    async exchange(callback, attempt) {
      if (!hasState(callback, attempt)) return stateMismatch();
      const { authorizationCodeGrant } = await loadLibrary();
      const configuration = await discovery.read();
      try {
        const tokens = await authorizationCodeGrant(configuration, addressOf(callback, attempt), {
          pkceCodeVerifier: attempt.verifier,
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          idTokenExpected: true,
        });
        return personTokens(tokens) ?? refusalOf({ code: "OAUTH_INVALID_RESPONSE" }, options);
      } catch (error) {
        const refusal = refusalOf(error, options);
        // The provider may have new keys: the next sign-in reads them.
        if (refusal.code === "id-token-key-unknown") discovery.forget();
        return refusal;
      }
    },
    async refresh(refreshToken) {
      const { refreshTokenGrant } = await loadLibrary();
      try {
        const tokens = await refreshTokenGrant(await discovery.read(), refreshToken);
        return personTokens(tokens) ?? unknown(`The answer of ${label} has no ID token.`);
      } catch (error) {
        if (oauthErrorOf(error) === "invalid_grant") return { status: "ended" };
        return unknown(unavailable(label, error).message);
      }
    },
    async revoke(refreshToken) {
      const { tokenRevocation } = await loadLibrary();
      const configuration = await discovery.read();
      if (configuration.serverMetadata().revocation_endpoint === undefined) return;
      await tokenRevocation(configuration, refreshToken).catch((error: unknown) => {
        throw unavailable(label, error);
      });
    },
  };
}

const REREAD_MS = 24 * 60 * 60_000;

type Discovery = {
  read(): Promise<Configuration>;
  /** The next read asks the provider again. */
  forget(): void;
};

/** Reads the provider's document at the first use, and again after a day or a failure. */
function createDiscovery(options: OpenIdOptions): Discovery {
  type Entry = { readonly configuration: Promise<Configuration>; readonly until: number };
  let entry: Entry | undefined;
  return {
    read() {
      const time = options.now().getTime();
      if (entry && entry.until > time) return entry.configuration;
      const fresh = { configuration: discover(options), until: time + REREAD_MS };
      entry = fresh;
      fresh.configuration.catch(() => {
        if (entry === fresh) entry = undefined;
      });
      return fresh.configuration;
    },
    forget() {
      entry = undefined;
    },
  };
}

async function discover({
  label,
  issuer,
  issuerSetting,
  registration,
  fetch,
}: OpenIdOptions): Promise<Configuration> {
  const library = await loadLibrary();
  try {
    const configuration = await library.discovery(
      new URL(issuer),
      registration.clientId,
      { client_secret: registration.clientSecret, [library.clockTolerance]: 30 },
      undefined,
      {
        [library.customFetch]: createBoundedFetch(fetch),
        timeout: TIMEOUT_SECONDS,
        execute: [
          library.enableNonRepudiationChecks,
          ...(isOnThisMachine(issuer) ? [library.allowInsecureRequests] : []),
        ],
      },
    );
    // The library accepts other issuers of Microsoft.
    if (configuration.serverMetadata().issuer === issuer) return configuration;
  } catch (error) {
    throw unavailable(label, error, issuerSetting);
  }
  throw unavailable(label, new Error(`${issuer} announces another issuer`), issuerSetting);
}

type TokenAnswer = {
  readonly access_token: string;
  readonly refresh_token?: string;
  claims(): IDToken | undefined;
};

function personTokens(tokens: TokenAnswer): PersonTokens | undefined {
  const claims = tokens.claims();
  return (
    claims && {
      status: "tokens",
      claims,
      accessToken: tokens.access_token,
      ...(tokens.refresh_token !== undefined && { refreshToken: tokens.refresh_token }),
    }
  );
}

function unknown(reason: string): Refreshed {
  return { status: "unknown", reason };
}
