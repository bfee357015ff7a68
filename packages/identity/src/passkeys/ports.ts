import type { Caller } from "@sealhouse/request-types";
import type { LastingAction } from "../step-up.ts";

/** Maximum number of passkeys of a user. */
export const PASSKEYS_MAX = 20;

/** A passkey of a user. */
export type PasskeyRecord = {
  /** Base64url, as browsers send it. */
  readonly credentialId: string;
  readonly userId: string;
  /** Host name of the registry that it belongs to. */
  readonly rpId: string;
  /** COSE key. */
  readonly publicKey: Uint8Array;
  /** 0 for passkeys that are synchronized between devices. */
  readonly counter: number;
  /** Whether other devices of the user may have it. */
  readonly isBackedUp: boolean;
  readonly transports: readonly string[];
  /** A label for the user. */
  readonly name: string;
  readonly createdAt: Date;
  readonly usedAt?: Date;
};

/** Identifies a passkey. An id alone may belong to another user. */
export type PasskeyKey = Pick<PasskeyRecord, "credentialId" | "userId">;

/** Passkeys. Changes write their events in the same transaction. */
export interface Passkeys {
  /** Lists the passkeys of a user in order of creation. */
  list(userId: string): Promise<readonly PasskeyRecord[]>;
  find(key: PasskeyKey): Promise<PasskeyRecord | undefined>;
  /** `taken`: a passkey has this id. `crowded`: the user has `PASSKEYS_MAX` passkeys. */
  add(passkey: PasskeyRecord, by: Caller): Promise<"added" | "taken" | "crowded">;
  /**
   * Stores a use. False when the stored counter is not `seenCounter`, because another use was
   * faster; nothing changed then.
   */
  used(
    key: PasskeyKey,
    use: {
      readonly seenCounter: number;
      readonly counter: number;
      readonly isBackedUp: boolean;
      readonly at: Date;
    },
  ): Promise<boolean>;
  remove(key: PasskeyKey, by: Caller): Promise<"removed" | "absent">;
}

/** Purpose of a challenge: a new passkey, or an action that a passkey confirms. */
export type ChallengePurpose = "register" | LastingAction;

/** The session, action and subject that a challenge belongs to. */
export type ChallengeScope = {
  /** Hash of the session's secret. */
  readonly sessionHash: string;
  readonly userId: string;
  readonly purpose: ChallengePurpose;
  /** The object of the action, such as the name of a package. */
  readonly subject?: string;
};

/** A random text that a passkey must sign. */
export type ChallengeRecord = ChallengeScope & {
  /** Lower-case hex of its SHA-256. */
  readonly hash: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** Challenges, each for one attempt. */
export interface PasskeyChallenges {
  /** Adds a challenge, and deletes expired ones. */
  add(challenge: ChallengeRecord): Promise<void>;
  /** Deletes a challenge. False when it is absent, expired, or belongs to another scope. */
  take(challenge: ChallengeScope & { readonly hash: string; readonly at: Date }): Promise<boolean>;
}
