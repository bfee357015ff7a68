import { HostToken, LoginSession, RefreshToken, SignInFailure } from "./identity.ts";
import {
  ExternalIdentity,
  HostTeam,
  HostUser,
  OwnerName,
  ServiceAccount,
  TeamMember,
} from "./people.ts";
import { PublishPolicy, UsedIdToken } from "./publish-policies.ts";
import { HostChallenge, HostConfirmation, HostPasskey, HostSession } from "./sessions.ts";

/** The entities of people, tokens and sessions. */
export const IDENTITY_ENTITIES = [
  ExternalIdentity,
  HostChallenge,
  HostConfirmation,
  HostPasskey,
  HostSession,
  HostTeam,
  HostToken,
  HostUser,
  LoginSession,
  OwnerName,
  PublishPolicy,
  RefreshToken,
  ServiceAccount,
  SignInFailure,
  TeamMember,
  UsedIdToken,
];
