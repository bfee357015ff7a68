import { OciError } from "../errors.ts";
import type { OpenUploads, UploadCatalog, UploadSession } from "../ports.ts";

/**
 * Upload sessions with data that one owner may have open at a time. A client pushes about five
 * layers at once, so this is enough for 200 jobs with one token. A session without a file takes up
 * to 64 KiB in the database. Where requests at the same time reach the limit, more of them may be
 * refused than necessary.
 */
export const OPEN_UPLOADS_MAX = 1_000;

/** When sessions without activity end. */
export type UploadExpiry = {
  /** Milliseconds without activity. */
  readonly afterMs: number;
  /** Returns the time before which idle sessions have ended. */
  readonly idleSince: () => Date;
};

/** Sessions of uploads, and how many of them one owner may have. */
export type UploadRoom = {
  readonly uploads: UploadCatalog & OpenUploads;
  readonly expiry?: UploadExpiry;
  /** Default `OPEN_UPLOADS_MAX`. */
  readonly openMax?: number;
};

/**
 * Refuses to store one more session for an owner with as many as it may have. A session without
 * data is not stored, so it neither counts nor is refused.
 * @throws OciError 429 `TOOMANYREQUESTS`
 */
export async function requireRoom(
  room: UploadRoom,
  { owner }: Pick<UploadSession, "owner">,
): Promise<void> {
  if ((await countOpen(room, owner)) >= maxOf(room)) throw tooMany(room);
}

/**
 * Returns sessions whose `create` counts those of the owner after it has added one, and removes it
 * again when there are too many. Of requests at the same time, the last one counts all others, so
 * that the limit holds without a lock.
 */
export function limitedUploads(room: UploadRoom): UploadCatalog {
  const { uploads } = room;
  return {
    ...uploads,
    async create(session, claim) {
      if (!(await uploads.create(session, claim))) return false;
      if ((await countOpen(room, session.owner)) <= maxOf(room)) return true;
      await uploads.remove(session.id);
      throw tooMany(room);
    },
  };
}

function countOpen({ uploads, expiry }: UploadRoom, owner: string): Promise<number> {
  return uploads.countOpen(owner, expiry?.idleSince());
}

function maxOf({ openMax = OPEN_UPLOADS_MAX }: UploadRoom): number {
  return openMax;
}

function tooMany(room: UploadRoom): OciError {
  const limit = maxOf(room).toLocaleString("en");
  const end = room.expiry ? `, or wait: each ${endText(room.expiry)}` : "";
  const message =
    `this token has ${limit} unfinished uploads of blobs, which is the limit: ` +
    `finish or cancel some${end}`;
  return new OciError("TOOMANYREQUESTS", { message });
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function endText({ afterMs }: UploadExpiry): string {
  const inHours = afterMs >= 2 * HOUR_MS;
  const unit = { style: "unit", unitDisplay: "long", unit: inHours ? "hour" : "minute" } as const;
  const count = Math.ceil(afterMs / (inHours ? HOUR_MS : MINUTE_MS));
  return `ends by itself ${new Intl.NumberFormat("en", unit).format(count)} after its last data`;
}
