import { TYPES } from "tedious";
import { UnexpectedRowError } from "../errors.ts";

type DataType = (typeof TYPES)[keyof typeof TYPES];

/** A parameter as the driver takes it. */
export type TypedParameter = {
  readonly type: DataType;
  readonly value: unknown;
  readonly options: { readonly length?: number; readonly scale?: number };
};

/** Characters and bytes of the longest types that are not `max`. */
const TEXT_MAX = 4_000;
const BYTES_MAX = 8_000;
const DECLARED = /^(nvarchar|varbinary|bigint|bit|datetime2)(?:\((\d+|max)\))?$/;

/**
 * A value with its type. SQL Server keeps a plan for each declaration, so the length is the
 * column's and not the value's; it sends null only in the type of its column.
 *
 * @param declared SQL Server's name of the type; without it the value decides
 */
export function typedParameter(value: unknown, declared = declaredFor(value)): TypedParameter {
  const [, name, size = ""] = DECLARED.exec(declared) ?? [];
  const given = value ?? null;
  switch (name) {
    case "nvarchar":
      return textParameter(given === null ? null : textOf(given), size);
    case "varbinary":
      return bytesParameter(given === null ? null : bufferOf(given));
    case "bigint":
      return {
        type: TYPES.BigInt,
        value: given === null ? null : BigInt(Number(given)),
        options: {},
      };
    case "bit":
      return { type: TYPES.Bit, value: given === null ? null : isYes(given), options: {} };
    case "datetime2":
      return { type: TYPES.DateTime2, value: given, options: { scale: 3 } };
    default:
      throw new Error(`Parameters cannot have the type ${declared}.`);
  }
}

function isYes(value: unknown): boolean {
  return value === true || value === 1;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new TypeError("The value of a parameter with text has none.");
}

/** Text that is longer than its column is equal to none in it, and must not be cut. */
function textParameter(value: string | null, size: string): TypedParameter {
  const length = value?.length ?? 0;
  const declared = size === "max" ? TEXT_MAX * 2 : Number(size);
  const fitting = length <= declared ? declared : length <= TEXT_MAX ? TEXT_MAX : TEXT_MAX * 2;
  return { type: TYPES.NVarChar, value, options: { length: fitting } };
}

function bytesParameter(value: Buffer | null): TypedParameter {
  return { type: TYPES.VarBinary, value, options: { length: BYTES_MAX * 2 } };
}

function bufferOf(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value;
  if (value instanceof Uint8Array) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  throw new TypeError("The value of a parameter with bytes has none.");
}

function declaredFor(value: unknown): string {
  switch (typeof value) {
    case "number":
    case "bigint":
      return "bigint";
    case "boolean":
      return "bit";
    default:
      break;
  }
  if (value instanceof Date) return "datetime2(3)";
  if (value instanceof Uint8Array) return "varbinary(max)";
  return typeof value === "string" && value.length > TEXT_MAX
    ? "nvarchar(max)"
    : `nvarchar(${TEXT_MAX})`;
}

/** A cell of a result. */
export type Cell = {
  readonly value: unknown;
  readonly metadata: { readonly colName: string; readonly type: { readonly name: string } };
};

/**
 * Converts a cell: the driver returns whole numbers of 64 bits as text.
 *
 * @throws UnexpectedRowError when the number is not exact in JavaScript
 */
export function cellValue({ value, metadata }: Cell): unknown {
  const isWhole = metadata.type.name === "BigInt" || metadata.type.name === "IntN";
  if (!isWhole || typeof value !== "string") return value;
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new UnexpectedRowError(metadata.colName, value);
  return number;
}
