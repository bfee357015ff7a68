import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";

/** Kind of a `PUT` of a package document. All kinds share one address. */
export type PutOperation = "publish" | "star" | "owner" | "unpublish" | "deprecate" | "unknown";

/**
 * Tells the five bodies apart, in this order, because clients echo whole documents: `users` and an
 * empty `_attachments` are in bodies of every kind and prove nothing. `onRevision` is true for
 * `PUT /{package}/-rev/{revision}`.
 */
export function putOperationOf(body: JsonObject, onRevision: boolean): PutOperation {
  const { _attachments: attachments, versions, users, maintainers } = body;
  if (isObject(attachments) && Object.keys(attachments).length > 0) {
    return onRevision ? "unknown" : "publish";
  }
  if (versions === undefined && onRevision && Array.isArray(maintainers)) return "owner";
  if (versions === undefined) return isObject(users) ? "star" : "unknown";
  if (!isObject(versions)) return "unknown";
  return onRevision ? "unpublish" : "deprecate";
}
