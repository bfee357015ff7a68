import { createHash, timingSafeEqual } from "node:crypto";
import type { People } from "../people/ports.ts";
import type { BrowserSessions, SignedIn } from "./browser-sessions.ts";
import { makeSecret } from "./secret.ts";

/** Milliseconds for which the link of the first administrator is valid. */
export const FIRST_LINK_MS = 10 * 60_000;

const HANDLE = "administrator";

export type FirstAdministratorOptions = {
  readonly people: Pick<People, "add" | "find" | "list">;
  readonly sessions: Pick<BrowserSessions, "open">;
  readonly now: () => Date;
  readonly random: (size: number) => Uint8Array;
  /** Returns a new UUID. */
  readonly newId: () => string;
};

/** The one-time link of a registry without users, in memory of one process. */
export interface FirstAdministrator {
  /** Creates the link's secret; undefined when the registry has users. */
  offer(): Promise<string | undefined>;
  /** Whether the link is valid, and the registry still has no users. */
  isOffered(secret: string): Promise<boolean>;
  /** Adds the administrator and opens a session, once. Undefined when the link is not valid. */
  take(secret: string, from: Omit<SignedIn, "holder" | "method">): Promise<string | undefined>;
}

/** Opens the one-time link that makes the first administrator. */
export function createFirstAdministrator(options: FirstAdministratorOptions): FirstAdministrator {
  const { people, sessions, now, random, newId } = options;
  let offered: { readonly secret: string; readonly until: number } | undefined;
  const isValid = (secret: string) =>
    offered !== undefined && now().getTime() < offered.until && isSame(secret, offered.secret);
  return {
    async offer() {
      if ((await people.list()).length > 0) return undefined;
      const secret = makeSecret(random);
      offered = { secret, until: now().getTime() + FIRST_LINK_MS };
      return secret;
    },
    isOffered: async (secret) => isValid(secret) && (await people.list()).length === 0,
    async take(secret, from) {
      if (!isValid(secret)) return undefined;
      // Before anything that waits, so that a second request finds nothing.
      offered = undefined;
      if ((await people.list()).length > 0) return undefined;
      const id = newId();
      const person = {
        id,
        handle: HANDLE,
        displayName: "Administrator",
        role: "administrator",
      } as const;
      const { address, requestId } = from;
      const by = {
        actor: "first-link",
        ...(address !== undefined && { address }),
        ...(requestId !== undefined && { requestId }),
      };
      if ((await people.add(person, now(), by)) === "taken") return undefined;
      const user = await people.find(id);
      return user && sessions.open({ ...from, holder: { user }, method: "link" });
    },
  };
}

function isSame(secret: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(secret), digest(other));
}
