import type { Caller } from "@sealhouse/request-types";
import type { TokenRecord } from "./ports.ts";

/** Something that a client at a command line waits for until a person agreed. */
export type LoginSession = {
  /** Lower-case hex of the SHA-256 of the secret that the client asks with. */
  readonly pollHash: string;
  /** What the person types: `BCDF-2345`. */
  readonly code: string;
  /** `login` ends with a token; `confirm` lets a token do what it has to be confirmed for. */
  readonly purpose: LoginPurpose;
  /** Of a confirmation: which token it is for, and to do what. */
  readonly subject?: string;
  /** Where the client asked from. */
  readonly address?: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Set when the person agreed. */
  readonly grant?: LoginGrant;
  /** Set when the person refused. */
  readonly deniedAt?: Date;
};

export type LoginPurpose = "login" | "confirm";

/** What a person agreed to. The token itself is made when the client comes for it, so that no
 * secret waits anywhere. */
export type LoginGrant = {
  readonly by: Caller;
  /** Absent for a confirmation. */
  readonly token?: GrantedToken;
};

export type GrantedToken = Pick<
  TokenRecord,
  "name" | "scopes" | "protocols" | "patterns" | "networks"
> & {
  /** Whose it is to be. */
  readonly owner: string;
  readonly expiresAt?: Date;
};

export type LoginDecision =
  | { readonly status: "agreed"; readonly grant: LoginGrant; readonly until: Date }
  | { readonly status: "denied"; readonly by: Caller };

/** Where sessions wait, for all instances. */
export interface LoginSessions {
  /** `crowded`: so many of the same purpose exist already, of that network (`callerOfAddress`) or
   * altogether, and nothing happened. Deletes sessions that ended before `createdAt`. */
  insert(
    session: LoginSession,
    most: { readonly ofNetwork: number; readonly ofAll: number },
  ): Promise<"inserted" | "crowded">;
  findByPollHash(pollHash: string): Promise<LoginSession | undefined>;
  findByCode(code: string): Promise<LoginSession | undefined>;
  /** Decides once, with its event. `absent` when there is no such code; `ended` when it was decided
   * before, or when its time is over. Until `until` the client may come for the outcome. */
  decide(code: string, decision: LoginDecision, at: Date): Promise<"decided" | "absent" | "ended">;
  /** Uses up a session; true for the one who did. */
  take(pollHash: string): Promise<boolean>;
}
