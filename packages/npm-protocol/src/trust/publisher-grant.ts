import type { TrustedPublisher, TrustPermission } from "./ports.ts";
import { actorOf } from "./publisher-actor.ts";

const SCOPES = {
  createPackage: "publish",
  createStagedPackage: "stage",
} as const satisfies Record<TrustPermission, string>;

/** Returns the actor of a trusted publisher's events and the scopes of its tokens. */
export function publisherGrant(publisher: TrustedPublisher): {
  readonly actor: string;
  readonly scopes: readonly ("publish" | "stage")[];
} {
  return {
    actor: actorOf(publisher),
    scopes: publisher.permissions.map((permission) => SCOPES[permission]),
  };
}
