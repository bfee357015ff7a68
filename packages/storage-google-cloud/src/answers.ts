import { StorageError } from "@sealhouse/storage-providers";
import { fieldOf } from "@sealhouse/storage-providers/remote";

/** An object as the JSON API describes it. */
export type ObjectAnswer = {
  readonly name: string;
  readonly size: number;
  /** Time when this generation was created: by the last write or copy. */
  readonly modifiedAt: Date;
  /** The metadata of the writer. */
  readonly metadata: Readonly<Record<string, string>>;
};

/** One page of a list. */
export type PageAnswer = {
  readonly objects: readonly ObjectAnswer[];
  /** Undefined on the last page. */
  readonly nextPageToken?: string;
};

/** @throws {StorageError} of code `storage-unavailable` when the answer is not as documented */
export function readObject(data: unknown): ObjectAnswer {
  const name = fieldOf(data, "name");
  const size = Number(fieldOf(data, "size"));
  const modifiedAt = new Date(String(fieldOf(data, "timeCreated")));
  if (
    typeof name !== "string" ||
    !Number.isSafeInteger(size) ||
    Number.isNaN(modifiedAt.getTime())
  ) {
    throw unexpected("an object");
  }
  const metadata = Object.entries(fieldOf(data, "metadata") ?? {}).map(
    ([key, value]) => [key, String(value)] as const,
  );
  return { name, size, modifiedAt, metadata: Object.fromEntries(metadata) };
}

/** @throws {StorageError} of code `storage-unavailable` when the answer is not as documented */
export function readPage(data: unknown): PageAnswer {
  const items = fieldOf(data, "items") ?? [];
  const nextPageToken = fieldOf(data, "nextPageToken");
  if (!Array.isArray(items)) throw unexpected("a list");
  return {
    objects: items.map(readObject),
    ...(typeof nextPageToken === "string" && nextPageToken !== "" && { nextPageToken }),
  };
}

/** Returns the token of the next step of a copy; undefined when the copy is complete. */
export function readRewrite(data: unknown): string | undefined {
  if (fieldOf(data, "done") === true) return undefined;
  const token = fieldOf(data, "rewriteToken");
  if (typeof token === "string" && token !== "") return token;
  throw unexpected("a copy");
}

function unexpected(what: string): StorageError {
  return new StorageError(
    "storage-unavailable",
    `the answer to a request for ${what} is not that of Google Cloud Storage`,
  );
}
