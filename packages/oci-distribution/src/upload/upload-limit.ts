import { OciError } from "../errors.ts";
import type { OpenUploads, UploadSession } from "../ports.ts";

/**
 * Upload sessions with data that one owner may have open at a time. A client pushes about five
 * layers at once, so this is enough for 200 jobs with one token. A session without a file takes up
 * to 64 KiB in the database. Requests at the same time may exceed the limit by their number.
 */
export const OPEN_UPLOADS_MAX = 1_000;

/** When sessions without activity end. */
export type UploadExpiry = {
  /** Milliseconds without activity. */
  readonly afterMs: number;
  /** Returns the time before which idle sessions have ended. */
  readonly idleSince: () => Date;
};

/**
 * Refuses to store one more session for an owner with `OPEN_UPLOADS_MAX` of them. A session without
 * data is not stored, so it neither counts nor is refused.
 * @throws OciError 429 `TOOMANYREQUESTS`
 */
export async function requireRoom(
  { uploads, expiry }: { readonly uploads: OpenUploads; readonly expiry?: UploadExpiry },
  { owner }: Pick<UploadSession, "owner">,
): Promise<void> {
  if ((await uploads.countOpen(owner, expiry?.idleSince())) < OPEN_UPLOADS_MAX) return;
  const limit = OPEN_UPLOADS_MAX.toLocaleString("en");
  const message =
    `this token has ${limit} unfinished uploads of blobs, which is the limit: ` +
    `finish or cancel some${expiry ? `, or wait: each ${endText(expiry)}` : ""}`;
  throw new OciError("TOOMANYREQUESTS", { message });
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function endText({ afterMs }: UploadExpiry): string {
  const inHours = afterMs >= 2 * HOUR_MS;
  const unit = { style: "unit", unitDisplay: "long", unit: inHours ? "hour" : "minute" } as const;
  const count = Math.ceil(afterMs / (inHours ? HOUR_MS : MINUTE_MS));
  return `ends by itself ${new Intl.NumberFormat("en", unit).format(count)} after its last data`;
}
