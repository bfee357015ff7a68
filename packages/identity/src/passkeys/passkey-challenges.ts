import { createHash } from "node:crypto";
import type { ChallengeScope, PasskeyChallenges } from "./ports.ts";

const CHALLENGE_MS = 5 * 60_000;
const CHALLENGE_BYTES = 32;
/** Longer than the data of any browser. */
const CLIENT_DATA_MAX = 4_096;

/** Clock, random source and rows of challenges. */
export type ChallengeParts = {
  readonly challenges: PasskeyChallenges;
  readonly now: () => Date;
  /** Returns cryptographically random bytes. */
  readonly random: (size: number) => Uint8Array;
};

/** Stores a challenge for one attempt within five minutes, and returns its bytes. */
export async function addChallenge(
  { challenges, now, random }: ChallengeParts,
  scope: ChallengeScope,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Uint8Array.from(random(CHALLENGE_BYTES));
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + CHALLENGE_MS);
  const hash = hashOf(Buffer.from(bytes).toString("base64url"));
  await challenges.add({ ...scope, hash, createdAt, expiresAt });
  return bytes;
}

/**
 * Uses up the challenge of a browser's answer, whatever its outcome. Undefined when it does not
 * belong to the scope.
 */
export async function takeChallenge(
  { challenges, now }: ChallengeParts,
  scope: ChallengeScope,
  clientDataJson: string,
): Promise<string | undefined> {
  const challenge = challengeIn(clientDataJson);
  if (challenge === undefined) return undefined;
  const isTaken = await challenges.take({ ...scope, hash: hashOf(challenge), at: now() });
  return isTaken ? challenge : undefined;
}

function challengeIn(clientDataJson: string): string | undefined {
  if (clientDataJson.length > CLIENT_DATA_MAX) return undefined;
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJson, "base64url").toString("utf8"));
    if (typeof data !== "object" || data === null || !("challenge" in data)) return undefined;
    return typeof data.challenge === "string" ? data.challenge : undefined;
  } catch {
    // Not JSON.
    return undefined;
  }
}

function hashOf(challenge: string): string {
  return createHash("sha256").update(challenge).digest("hex");
}
