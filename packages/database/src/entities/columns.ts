import { BlobType, ReferenceKind, StringType, TextType, p } from "@mikro-orm/core";
import type { EntityMetadata, EntityProperty, Platform } from "@mikro-orm/core";

// Kinds of columns. Lengths are explicit, because index keys are limited to 900 bytes in SQL Server
// and 3,072 in MySQL. Long text and bytes are never part of a key.

/** A name, key or code: compared byte by byte on every database. */
export const key = (length: number) => p.string().length(length);
/** Text of any length, without an index. */
export const longText = () => p.text();
/** Bytes of any length, kept exactly. */
export const bytes = () => p.blob();
/** Milliseconds, the precision of JavaScript. */
export const time = () => p.datetime(3);
/** Whole number up to 2^53. */
export const big = () => p.bigint("number");
export const rowId = () => p.bigint("number").primary().autoincrement();

/** Binary collation of each database. SQLite uses it by default. */
const BINARY_COLLATION: Readonly<Record<string, string | undefined>> = {
  PostgreSqlPlatform: "C",
  MySqlPlatform: "utf8mb4_bin",
  MariaDbPlatform: "utf8mb4_bin",
  MsSqlPlatform: "Latin1_General_100_BIN2",
};

/** MySQL's own `text` and `blob` end after 64 KiB; SQL Server's `text` is not Unicode. */
const ROOMY: Readonly<Record<string, { readonly text: string; readonly blob: string }>> = {
  MySqlPlatform: { text: "longtext", blob: "longblob" },
  MariaDbPlatform: { text: "longtext", blob: "longblob" },
  MsSqlPlatform: { text: "nvarchar(max)", blob: "varbinary(max)" },
};

/** MikroORM's discovery hook that gives every column the exact type each database needs: `key` its
 * binary collation, text and bytes room for any length. */
export function withExactTypes(meta: EntityMetadata, platform: Platform): void {
  const isSqlServer = platform.constructor.name === "MsSqlPlatform";
  const collation = BINARY_COLLATION[platform.constructor.name];
  const roomy = ROOMY[platform.constructor.name];
  const properties: readonly EntityProperty[] = Object.values(meta.properties);
  for (const property of properties) {
    const is = (type: unknown) => Object.is(property.type, type);
    if (collation !== undefined && is(StringType)) property.collation = collation;
    if (roomy && is(TextType)) property.columnTypes = [roomy.text];
    if (roomy && is(BlobType)) property.columnTypes = [roomy.blob];
    if (isSqlServer) asSqlServerSays(property, { isLongText: is(TextType) });
    if (isRowNumber(meta, property, platform)) {
      Object.assign(property, { columnTypes: ["integer"], autoincrement: false });
    }
  }
}

/** SQL Server compares all text by the collation of its column, and has `no action` only. */
function asSqlServerSays(
  property: EntityProperty,
  { isLongText }: { readonly isLongText: boolean },
): void {
  const collation = BINARY_COLLATION["MsSqlPlatform"];
  if (isLongText && collation !== undefined) property.collation = collation;
  if (property.kind === ReferenceKind.SCALAR) return;
  // Keys never change, and two ways to cascade into one table are an error.
  property.updateRule = "no action";
  if (property.deleteRule !== "cascade") property.deleteRule = "no action";
}

/**
 * SQLite finds a row by its number without an index only if the key has the type integer. MikroORM
 * generates that type only for its own sequences.
 */
function isRowNumber(meta: EntityMetadata, property: EntityProperty, platform: Platform): boolean {
  const isOnlyKey = property.primary === true && meta.primaryKeys.length === 1;
  const isReference = property.kind === ReferenceKind.MANY_TO_ONE;
  return platform.constructor.name === "SqlitePlatform" && isOnlyKey && isReference;
}
