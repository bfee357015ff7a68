import { PASSKEYS_MAX } from "../passkeys/ports.ts";
import type {
  ChallengeRecord,
  PasskeyChallenges,
  PasskeyKey,
  PasskeyRecord,
  Passkeys,
} from "../passkeys/ports.ts";

/** Passkeys and challenges in memory, under the same contract as the databases. */
export function createMemoryPasskeys(): Passkeys & { readonly challenges: PasskeyChallenges } {
  const records = new Map<string, PasskeyRecord>();
  const waiting = new Map<string, ChallengeRecord>();
  const find = ({ credentialId, userId }: PasskeyKey) => {
    const record = records.get(credentialId);
    return record?.userId === userId ? record : undefined;
  };
  const ofUser = (userId: string) =>
    [...records.values()]
      .filter((record) => record.userId === userId)
      .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
  return {
    list: async (userId) => ofUser(userId),
    find: async (key) => find(key),
    async add(passkey) {
      if (records.has(passkey.credentialId)) return "taken";
      if (ofUser(passkey.userId).length >= PASSKEYS_MAX) return "crowded";
      records.set(passkey.credentialId, passkey);
      return "added";
    },
    async used(key, { seenCounter, counter, isBackedUp, at }) {
      const record = find(key);
      if (record?.counter !== seenCounter) return false;
      records.set(key.credentialId, { ...record, counter, isBackedUp, usedAt: at });
      return true;
    },
    async remove(key) {
      if (!find(key)) return "absent";
      records.delete(key.credentialId);
      return "removed";
    },
    challenges: {
      async add(challenge) {
        for (const { hash, expiresAt } of waiting.values()) {
          if (expiresAt <= challenge.createdAt) waiting.delete(hash);
        }
        waiting.set(challenge.hash, challenge);
      },
      async take({ hash, sessionHash, userId, purpose, subject, at }) {
        const challenge = waiting.get(hash);
        waiting.delete(hash);
        return (
          challenge !== undefined &&
          challenge.expiresAt > at &&
          challenge.sessionHash === sessionHash &&
          challenge.userId === userId &&
          challenge.purpose === purpose &&
          challenge.subject === subject
        );
      },
    },
  };
}
