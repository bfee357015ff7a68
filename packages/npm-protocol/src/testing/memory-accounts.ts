import type {
  Identified,
  NpmAccounts,
  NpmToken,
  SessionOutcome,
  StartedSession,
  NewTokenRequest,
} from "../accounts/ports.ts";

type StoredToken = { readonly value: string; readonly token: NpmToken; revoked: boolean };

export type MemoryAccounts = NpmAccounts & {
  /** The data behind the port, for tests. */
  readonly inspect: {
    /** Decides the session with this code; for a login `secret` is the token it ends with. */
    decide(code: string, outcome: SessionOutcome): void;
    readonly tokens: () => readonly StoredToken[];
  };
};

/** Accounts of one person, in memory; the only password is `right`. */
export function createMemoryAccounts(
  now: () => Date,
  options: {
    readonly identified?: Identified;
    /** Whether actions have to be confirmed. */
    readonly stepUp?: boolean;
    /** Why no session begins. */
    readonly closed?: "crowded" | "off";
  } = {},
): MemoryAccounts {
  const holder = { actor: "tester", tokenId: "t-0", needs: undefined };
  const { identified = { status: "known", holder }, stepUp = false } = options;
  const keptTokens: StoredToken[] = [];
  const sessions: { code: string; secret: string; outcome: SessionOutcome }[] = [];

  const add = (wish: NewTokenRequest) => {
    const { permission = "write", names = [], networks = [], ...rest } = wish;
    const id = `0000${keptTokens.length}-t`;
    const limits = { permission, names, networks };
    const token = { id, prefix: `shp_${id}`, createdAt: now(), ...limits, ...rest };
    const made: StoredToken = { value: `${token.prefix}-secret`, token, revoked: false };
    keptTokens.push(made);
    return made;
  };
  const start = async (): Promise<StartedSession> => {
    if (options.closed) return { status: options.closed };
    const [code, secret] = [`CODE-${sessions.length}`, `session-${sessions.length}`];
    sessions.push({ code, secret, outcome: { status: "waiting" } });
    return { status: "started", page: `http://registry.test/sign-in/${code}`, code, secret };
  };
  const revoke = (fits: (token: StoredToken) => boolean) => {
    const matches = keptTokens.filter(fits);
    for (const match of matches) match.revoked = true;
    return matches.length;
  };

  return {
    identify: async () => identified,
    user: async (name) => (name === "tester" ? { name, createdAt: now() } : undefined),
    async signIn(_request, _env, { password, confirm }) {
      if (password !== "right") return { status: "refused", reason: "It is not known here." };
      await confirm(holder);
      return { status: "signed-in", name: "tester", token: add({ name: "npm login" }).value };
    },
    async signOut(_request, _env, token) {
      return { status: revoke(({ value }) => value === token) > 0 ? "revoked" : "unknown" };
    },
    logins: {
      start,
      async poll(secret) {
        const session = sessions.find((candidate) => candidate.secret === secret);
        return session?.outcome ?? { status: "ended" };
      },
    },
    tokens: {
      list: async () => keptTokens.filter(({ revoked }) => !revoked).map(({ token }) => token),
      async create(_holder, wish) {
        const { value, token } = add(wish);
        return { status: "created", value, token };
      },
      async revoke(_holder, idOrValue) {
        const count = revoke(({ value, token }) => idOrValue === value || idOrValue === token.id);
        return count > 0 ? "revoked" : "absent";
      },
    },
    stepUp: {
      check: async (_holder, _action, password) =>
        !stepUp || password === "confirmed" ? "confirmed" : "wanted",
      start,
    },
    inspect: {
      decide(code, outcome) {
        const session = sessions.find((candidate) => candidate.code === code);
        if (!session) throw new Error(`There is no session ${code}.`);
        session.outcome = outcome;
      },
      tokens: () => keptTokens,
    },
  };
}
