import type { KeyRing } from "../key-ring/key-ring.ts";
import type { LastingAction } from "../step-up.ts";
import type { BrowserSession } from "./browser-sessions.ts";
import { hashOf, isSecret, makeSecret } from "./secret.ts";

/** Milliseconds for which the form of a lasting action waits for its confirmation. */
export const CONFIRMATION_MS = 10 * 60_000;
/** Forms of one session that may wait; a further one replaces the oldest. */
const WAITING_MAX = 20;
const FORM_PURPOSE = "confirmed-form";

/** One action on one subject, and where its form was sent. */
export type LastingForm = {
  readonly action: LastingAction;
  /** The object of the action in words, such as `the token ci with the scope write`. */
  readonly subject: string;
  /** Local path that the form was sent to. */
  readonly path: string;
  /** Local path of the page that offers the action. */
  readonly backPath: string;
  /** The fields as `application/x-www-form-urlencoded`; they may contain secrets. */
  readonly fields: string;
};

/** A stored form that waits for its confirmation. */
export type ConfirmationRecord = Omit<LastingForm, "fields"> & {
  /** Lower-case hex SHA-256 of its id. */
  readonly hash: string;
  readonly sessionHash: string;
  /** The fields, encrypted with the key ring. */
  readonly sealedForm: Uint8Array;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** When the person signed in again for it. */
  readonly confirmedAt?: Date;
};

/** Store of forms that wait for a confirmation, shared by all instances. */
export interface ConfirmationStore {
  /**
   * Adds a form. Deletes those that expired before `createdAt`, and the oldest ones of the session
   * so that it has at most `ofSessionMax`.
   */
  add(record: ConfirmationRecord, ofSessionMax: number): Promise<void>;
  find(hash: string): Promise<ConfirmationRecord | undefined>;
  /** Notes the new sign-in; false when the form is gone. */
  confirm(hash: string, at: Date): Promise<boolean>;
  /** Deletes a form; true for the one caller that deleted it. */
  take(hash: string): Promise<boolean>;
}

/** A form that waits for its confirmation, without its fields. */
export type WaitingConfirmation = Omit<LastingForm, "fields"> & {
  /** Names it in challenges of passkeys. */
  readonly hash: string;
  /** The person signed in again for it. */
  readonly isConfirmed: boolean;
};

type Owner = Pick<BrowserSession, "hash">;

/** Forms of lasting actions that wait for a confirmation by their session; each is used once. */
export interface Confirmations {
  /** Stores a form, and returns its id. */
  ask(session: Owner, form: LastingForm): Promise<string>;
  /** Undefined when it is unknown, expired, used, or belongs to another session. */
  find(session: Owner, id: string): Promise<WaitingConfirmation | undefined>;
  /** Notes that the person signed in again for this form. */
  confirm(session: Owner, id: string): Promise<boolean>;
  /** Returns the form, once. Call it only when the person has confirmed it. */
  take(session: Owner, id: string): Promise<LastingForm | undefined>;
}

/** Dependencies of `createConfirmations`. `random` returns cryptographically random bytes. */
export type ConfirmationOptions = {
  readonly rows: ConfirmationStore;
  readonly keyRing: Pick<KeyRing, "protect" | "unprotect">;
  readonly now: () => Date;
  readonly random: (size: number) => Uint8Array;
};

/** Opens the forms that wait for a confirmation. */
export function createConfirmations(options: ConfirmationOptions): Confirmations {
  const { rows, keyRing, now, random } = options;
  const rowOf = async (session: Owner, id: string) => {
    if (!isSecret(id)) return undefined;
    const row = await rows.find(hashOf(id));
    return row?.sessionHash === session.hash && row.expiresAt > now() ? row : undefined;
  };
  return {
    async ask({ hash: sessionHash }, { fields, ...form }) {
      const id = makeSecret(random);
      const createdAt = now();
      const sealedForm = keyRing.protect(FORM_PURPOSE, Buffer.from(fields));
      const expiresAt = new Date(createdAt.getTime() + CONFIRMATION_MS);
      const times = { createdAt, expiresAt };
      await rows.add({ ...form, hash: hashOf(id), sessionHash, sealedForm, ...times }, WAITING_MAX);
      return id;
    },
    async find(session, id) {
      const row = await rowOf(session, id);
      if (!row) return undefined;
      const { hash, action, subject, path, backPath, confirmedAt } = row;
      return { hash, action, subject, path, backPath, isConfirmed: confirmedAt !== undefined };
    },
    async confirm(session, id) {
      const row = await rowOf(session, id);
      return row !== undefined && rows.confirm(row.hash, now());
    },
    async take(session, id) {
      const row = await rowOf(session, id);
      if (!row || !(await rows.take(row.hash))) return undefined;
      const { action, subject, path, backPath, sealedForm } = row;
      const fields = Buffer.from(await keyRing.unprotect(FORM_PURPOSE, sealedForm)).toString();
      return { action, subject, path, backPath, fields };
    },
  };
}
