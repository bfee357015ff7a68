import type { EventName } from "../event-names.ts";

/** Mail addresses of active users. */
export interface MailReceivers {
  /** Addresses of users, and of the members of teams; by id or handle. */
  ofOwners(owners: readonly string[]): Promise<readonly string[]>;
  /** Addresses of the owners of a name, and of members of owning teams, without mere readers. */
  ofName(name: EventName): Promise<readonly string[]>;
  /** Address of the user of a token, or those of the managers of its service account's team. */
  ofToken(tokenId: string): Promise<readonly string[]>;
  /** Whether a user, by id, is an active administrator. */
  isAdministrator(userId: string): Promise<boolean>;
}
