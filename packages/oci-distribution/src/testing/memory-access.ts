import type { Caller } from "@sealhouse/request-types";
import { randomBytes } from "node:crypto";
import type {
  Action,
  AuthorizeImage,
  TokenRequest,
  TokenScope,
  TokenService,
  OciVerdict,
} from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";
import { isRepositoryName } from "../repository-name.ts";

export type MemoryIdentity = {
  /** `anonymous` is who comes without credentials. */
  readonly name: string;
  readonly password?: string;
  readonly may: (action: Action, repository: RepositoryName) => boolean;
};

export type MemoryAccess = {
  readonly authorize: AuthorizeImage;
  readonly tokens: TokenService;
  /** From now on neither password nor tokens of that name work. */
  readonly revoke: (name: string) => void;
};

type Issued = { readonly identity: MemoryIdentity; readonly access: ReadonlySet<string> };

const NOBODY: MemoryIdentity = { name: "anonymous", may: () => false };

/** Users in a list, tokens in a map: the token flow of a registry without its cryptography. */
export function createMemoryAccess(identities: readonly MemoryIdentity[]): MemoryAccess {
  const knownIdentities = new Map(identities.map((identity) => [identity.name, identity]));
  const bearers = new Map<string, Issued>();
  const refreshers = new Map<string, MemoryIdentity>();
  const anonymous = knownIdentities.get("anonymous") ?? NOBODY;
  const signIn = (name: string, password: string): MemoryIdentity | undefined => {
    const identity = knownIdentities.get(name);
    return identity?.password === password ? identity : undefined;
  };

  return {
    revoke: (name) => void knownIdentities.delete(name),
    async authorize(request, _env, access) {
      const header = request.headers.get("authorization");
      if (header === null) return verdictOn(anonymous, access, undefined);
      const bearer = bearers.get(header.replace(/^bearer /i, ""));
      const identity = bearer?.identity ?? basicOf(header, signIn);
      const valid = identity && (identity === anonymous || knownIdentities.has(identity.name));
      if (!valid) return { status: "anonymous", error: "invalid_token" };
      return verdictOn(identity, access, bearer?.access);
    },
    tokens: {
      async issue({ request, grant, scopes, offline }) {
        const header = request.headers.get("authorization");
        const identity =
          grant.type === "header" && header === null
            ? anonymous
            : identityOf(grant, header, { signIn, refreshers });
        const valid = identity && (identity === anonymous || knownIdentities.has(identity.name));
        if (!valid) return { status: "refused" };
        const token = randomBytes(16).toString("hex");
        bearers.set(token, { identity, access: new Set(scopes.flatMap(grantedBy(identity))) });
        const refreshToken = `refresh-${token}`;
        if (offline) refreshers.set(refreshToken, identity);
        const issued = { status: "issued", token, expiresInSeconds: 300 } as const;
        return { ...issued, issuedAt: new Date(), ...(offline && { refreshToken }) };
      },
    },
  };
}

function verdictOn(
  identity: MemoryIdentity,
  { action, repository }: { action: Action; repository?: RepositoryName | "*" },
  access: ReadonlySet<string> | undefined,
): OciVerdict {
  const { name, may } = identity;
  const token = name !== "anonymous" && { tokenId: `of-${name}`, needs: undefined };
  const caller: Caller = { actor: name, ...token };
  const mayPull = (source: RepositoryName) =>
    may("pull", source) && (repository === "*" || (access?.has(`pull ${source}`) ?? true));
  const granted = { status: "granted", caller, mayPull } as const;
  if (repository === undefined) return granted;
  if (repository === "*") {
    const isOpen = access === undefined || access.has(CATALOG);
    return isOpen ? granted : { status: "anonymous", error: "insufficient_scope" };
  }
  if (!may(action, repository)) {
    if (name === "anonymous") return { status: "anonymous" };
    return { status: "denied", reason: `${name} may not ${action} ${repository}` };
  }
  const reaches = access === undefined || access.has(`${action} ${repository}`);
  return reaches ? granted : { status: "anonymous", error: "insufficient_scope" };
}

const CATALOG = "* registry:catalog";
const ACTIONS = ["pull", "push", "delete"] as const;

function grantedBy({ may }: MemoryIdentity): (scope: TokenScope) => readonly string[] {
  return ({ type, name, actions }) => {
    if (type === "registry" && name === "catalog" && actions.includes("*")) return [CATALOG];
    if (type !== "repository" || !isRepositoryName(name)) return [];
    const requestedActions = ACTIONS.filter(
      (action) => actions.includes("*") || actions.includes(action),
    );
    return requestedActions
      .filter((action) => may(action, name))
      .map((action) => `${action} ${name}`);
  };
}

type SignIn = (name: string, password: string) => MemoryIdentity | undefined;

function identityOf(
  grant: TokenRequest["grant"],
  header: string | null,
  { signIn, refreshers }: { signIn: SignIn; refreshers: ReadonlyMap<string, MemoryIdentity> },
): MemoryIdentity | undefined {
  switch (grant.type) {
    case "header":
      return basicOf(header ?? "", signIn);
    case "password":
      return signIn(grant.username, grant.password);
    case "refresh_token":
      return refreshers.get(grant.refreshToken);
  }
}

function basicOf(header: string, signIn: SignIn): MemoryIdentity | undefined {
  const encoded = /^basic (.+)$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const [name = "", ...password] = Buffer.from(encoded, "base64").toString().split(":");
  return signIn(name, password.join(":"));
}
