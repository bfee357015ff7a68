import type { LoginSession, LoginSessions } from "../login-sessions.ts";

/** Sessions in memory, under the same contract as the databases. */
export function createMemoryLoginSessions(): LoginSessions {
  const sessions = new Map<string, LoginSession>();
  const find = (fits: (session: LoginSession) => boolean) => [...sessions.values()].find(fits);

  return {
    async insert(session) {
      for (const [hash, { expiresAt }] of sessions) {
        if (expiresAt <= session.createdAt) sessions.delete(hash);
      }
      sessions.set(session.pollHash, session);
    },
    findByPollHash: async (pollHash) => sessions.get(pollHash),
    findByCode: async (code) => find((session) => session.code === code),
    async decide(code, decision, time) {
      const session = find((candidate) => candidate.code === code);
      if (!session) return "absent";
      if (session.grant || session.deniedAt || session.expiresAt <= time) return "ended";
      const decided =
        decision.status === "agreed"
          ? { grant: decision.grant, expiresAt: decision.until }
          : { deniedAt: time };
      sessions.set(session.pollHash, { ...session, ...decided });
      return "decided";
    },
    take: async (pollHash) => sessions.delete(pollHash),
  };
}
