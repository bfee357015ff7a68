import type { SessionRecord, Sessions, SessionUser } from "../sessions/session.ts";

/** Sessions in memory, under the same contract as the databases, and their users by id. */
export function createMemorySessions(users = new Map<string, SessionUser>()): Sessions {
  const sessions = new Map<string, SessionRecord>();
  const find = (hash: string) =>
    sessions.get(hash) ?? [...sessions.values()].find(({ previousHash }) => previousHash === hash);
  return {
    async open(session) {
      for (const [hash, { endsAt, idleEndsAt }] of sessions) {
        const isOver = endsAt <= session.createdAt || idleEndsAt <= session.createdAt;
        if (isOver) sessions.delete(hash);
      }
      sessions.set(session.hash, session);
    },
    async find(hash) {
      const session = find(hash);
      const user = session?.userId === undefined ? undefined : users.get(session.userId);
      return session && { ...session, ...(user && { user }) };
    },
    async rotate(hash, { to, at, graceUntil }) {
      const session = sessions.get(hash);
      if (!session) return false;
      sessions.delete(hash);
      const previous = { previousHash: hash, previousEndsAt: graceUntil };
      sessions.set(to, { ...session, ...previous, hash: to, rotatedAt: at });
      return true;
    },
    async seen(hash, { at, idleEndsAt }) {
      const session = sessions.get(hash);
      if (session) sessions.set(hash, { ...session, seenAt: at, idleEndsAt });
    },
    end: async (hash) => sessions.delete(find(hash)?.hash ?? hash),
    ofUser: async (userId) =>
      [...sessions.values()]
        .filter((session) => session.userId === userId)
        .toSorted((one, other) => other.seenAt.getTime() - one.seenAt.getTime()),
    async endAll(userId) {
      const user = users.get(userId);
      if (user) users.set(userId, { ...user, epoch: user.epoch + 1 });
      for (const [hash, session] of sessions) {
        if (session.userId === userId) sessions.delete(hash);
      }
    },
  };
}
