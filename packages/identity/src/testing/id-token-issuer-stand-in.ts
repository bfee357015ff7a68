import { createPublicKey, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import type { JsonWebKey, KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";

type Algorithm = "RS256" | "ES256";
type Key = { readonly id: string; readonly algorithm: Algorithm; readonly pair: KeyObject };

export type IdTokenWish = {
  readonly algorithm?: Algorithm;
  /** Overrides claims; `undefined` removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** A key that the issuer does not announce. */
  readonly withStrangeKey?: boolean;
};

/**
 * A stand-in for the identity provider of a build service. It serves OpenID Connect discovery and
 * RSA and P-256 keys, and issues tokens like GitHub Actions.
 */
export type IdTokenIssuerStandIn = AsyncDisposable & {
  /** The value of `iss`, without a trailing slash. */
  readonly issuer: string;
  /** For the environment of a job: where it asks for its tokens, and with what. */
  readonly environment: Readonly<Record<string, string>>;
  /** Replaces the claims of later tokens. */
  serve(claims: Readonly<Record<string, unknown>>): void;
  /** Good for five minutes. */
  token(audience: string, wish?: IdTokenWish): string;
  /** Forgets its keys and makes others. */
  rotate(): void;
  /** Paths of received requests. */
  readonly paths: readonly string[];
};

export async function openIdTokenIssuerStandIn(
  options: { readonly now?: () => Date } = {},
): Promise<IdTokenIssuerStandIn> {
  const { now = () => new Date() } = options;
  const paths: string[] = [];
  const password = randomUUID();
  let keys = makeKeys();
  let served: Readonly<Record<string, unknown>> = {};
  let issuer = "";

  const token: IdTokenIssuerStandIn["token"] = (audience, wish = {}) => {
    const { algorithm = "RS256", claims = {}, withStrangeKey = false } = wish;
    const from = withStrangeKey ? makeKeys() : keys;
    const key = from.find((candidate) => candidate.algorithm === algorithm);
    if (!key) throw new Error(`there is no key for ${algorithm}`);
    const iat = Math.floor(now().getTime() / 1000);
    const times = { iat, nbf: iat, exp: iat + 300 };
    const plain = { iss: issuer, aud: audience, jti: randomUUID(), ...times };
    return signed({ ...plain, ...served, ...claims }, key);
  };
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", issuer);
    paths.push(pathname);
    const isJob = request.headers.authorization === `Bearer ${password}`;
    const documents: Readonly<Record<string, () => unknown>> = {
      "/.well-known/openid-configuration": () => ({ issuer, jwks_uri: `${issuer}/keys` }),
      "/keys": () => ({ keys: keys.map(announced) }),
      ...(isJob && { "/job": () => ({ value: token(searchParams.get("audience") ?? "") }) }),
    };
    const document = documents[pathname];
    response.writeHead(document ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(document?.() ?? {}));
  };

  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the stand-in has no port");
  issuer = `http://127.0.0.1:${address.port}`;
  return {
    issuer,
    environment: {
      CI: "true",
      GITHUB_ACTIONS: "true",
      ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer}/job?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: password,
    },
    serve(claims) {
      served = claims;
    },
    token,
    rotate() {
      keys = makeKeys();
    },
    paths,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function makeKeys(): readonly Key[] {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  return [
    { id: randomUUID(), algorithm: "RS256", pair: rsa },
    { id: randomUUID(), algorithm: "ES256", pair: ec },
  ];
}

function announced({ id, algorithm, pair }: Key): JsonWebKey {
  const open = createPublicKey(pair).export({ format: "jwk" });
  return { ...open, kid: id, alg: algorithm, use: "sig" };
}

function signed(claims: object, { id, algorithm, pair }: Key): string {
  const header = encoded({ typ: "JWT", alg: algorithm, kid: id });
  const text = `${header}.${encoded(claims)}`;
  const key = { key: pair, dsaEncoding: "ieee-p1363" } as const;
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
