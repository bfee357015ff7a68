import type { Caller } from "@sealhouse/request-types";
import type { Person } from "../people/person.ts";

/** A browser that is signed in: as a user, or with an API token. */
export type SessionRecord = {
  /** Lower-case hex SHA-256 of the cookie's secret. */
  readonly hash: string;
  /** The hash before the last rotation, which is accepted until `previousEndsAt`. */
  readonly previousHash?: string;
  readonly previousEndsAt?: Date;
  /** Either a user or a token. */
  readonly userId?: string;
  readonly tokenId?: string;
  /** The user's epoch at sign-in; 0 for a token. */
  readonly epoch: number;
  readonly createdAt: Date;
  readonly rotatedAt: Date;
  /** Last use, to the minute. */
  readonly seenAt: Date;
  /** When it ends unless it is used. */
  readonly idleEndsAt: Date;
  /** When it ends although it is used. */
  readonly endsAt: Date;
  readonly address?: string;
  /** `User-Agent` of the browser. */
  readonly agent?: string;
};

/** The user of a session, as the user is now. */
export type SessionUser = Pick<
  Person,
  "id" | "handle" | "displayName" | "role" | "state" | "epoch" | "hasSecondFactor"
>;

/** A session with its user; without one for a session of a token, or when the user is deleted. */
export type StoredSession = SessionRecord & { readonly user?: SessionUser };

/** Method of a sign-in: a provider, an API token, or the first administrator's link. */
export type SignInMethod = "microsoft" | "google" | "github" | "token" | "link";

/** A new hash of a session. */
export type SessionRotation = {
  readonly to: string;
  readonly at: Date;
  /** End of the time in which the former hash is accepted. */
  readonly graceUntil: Date;
};

/** Sessions of browsers, shared by all instances. Each change and its event are one transaction. */
export interface Sessions {
  /** Inserts a session with its event, after deleting those that ended before `createdAt`. */
  open(
    session: SessionRecord,
    sign: { readonly by: Caller; readonly method: SignInMethod },
  ): Promise<void>;
  /** By its hash, or by the hash before the last rotation. */
  find(hash: string): Promise<StoredSession | undefined>;
  /** Replaces the hash; false when another request replaced it or the session is gone. */
  rotate(hash: string, change: SessionRotation): Promise<boolean>;
  seen(hash: string, use: { readonly at: Date; readonly idleEndsAt: Date }): Promise<void>;
  /** Deletes a session with its event; false when it is gone. */
  end(hash: string, by: Caller): Promise<boolean>;
  /** Most recently used first. */
  ofUser(userId: string): Promise<readonly SessionRecord[]>;
  /** Raises the user's epoch and deletes the user's sessions, with one event. */
  endAll(userId: string, by: Caller): Promise<void>;
}
