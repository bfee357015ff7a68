import { TYPES } from "tedious";
import { expect, test } from "vitest";
import { cellValue, typedParameter } from "./sqlserver-values.ts";

const TIME = new Date("2026-03-29T01:30:00.123Z");
const BYTES = new Uint8Array([9, 1, 2]).subarray(1);
const SENT_BYTES = Buffer.of(1, 2);
const ALL_BYTES = { length: 16_000 };

const SENT = [
  ["a", "nvarchar(64)", { type: TYPES.NVarChar, value: "a", options: { length: 64 } }],
  [undefined, "nvarchar(64)", { type: TYPES.NVarChar, value: null, options: { length: 64 } }],
  ["a", "nvarchar(max)", { type: TYPES.NVarChar, value: "a", options: { length: 8000 } }],
  [2 ** 53 - 1, "bigint", { type: TYPES.BigInt, value: BigInt(2 ** 53 - 1), options: {} }],
  [null, "bigint", { type: TYPES.BigInt, value: null, options: {} }],
  [true, "bit", { type: TYPES.Bit, value: true, options: {} }],
  [TIME, "datetime2(3)", { type: TYPES.DateTime2, value: TIME, options: { scale: 3 } }],
  [undefined, "datetime2(3)", { type: TYPES.DateTime2, value: null, options: { scale: 3 } }],
  [BYTES, "varbinary(max)", { type: TYPES.VarBinary, value: SENT_BYTES, options: ALL_BYTES }],
  [undefined, "varbinary(max)", { type: TYPES.VarBinary, value: null, options: ALL_BYTES }],
  ["a", undefined, { type: TYPES.NVarChar, value: "a", options: { length: 4000 } }],
  [7, undefined, { type: TYPES.BigInt, value: 7n, options: {} }],
  [false, undefined, { type: TYPES.Bit, value: false, options: {} }],
  [TIME, undefined, { type: TYPES.DateTime2, value: TIME, options: { scale: 3 } }],
  [BYTES, undefined, { type: TYPES.VarBinary, value: SENT_BYTES, options: ALL_BYTES }],
] as const;

test.each(SENT)("sends %o with the type %s", (value, declared, parameter) => {
  expect(typedParameter(value, declared)).toEqual(parameter);
});

test.each([
  ["nvarchar(64)", "a", "nvarchar(64)"],
  ["nvarchar(64)", undefined, "nvarchar(64)"],
  ["nvarchar(64)", "a".repeat(65), "nvarchar(4000)"],
  ["nvarchar(max)", "", "nvarchar(max)"],
  ["varbinary(max)", undefined, "varbinary(max)"],
  ["datetime2(3)", TIME, "datetime2(3)"],
  ["bigint", 1, "bigint"],
])("the driver declares %s for the value %s", (declared, value, declaration) => {
  const { type, options, ...rest } = typedParameter(value, declared);
  const parameter = { type, name: "1", output: false, ...rest, ...options };
  expect(type.declaration(parameter)).toBe(declaration);
});

test("encodes times to the millisecond, in UTC", () => {
  const { type, value, options } = typedParameter(TIME, "datetime2(3)");
  const parameter = { type, name: "1", output: false, value, ...options };
  const [bytes] = type.generateParameterData(parameter, { useUTC: true } as never);
  // Milliseconds of the day, then days since the year 1.
  expect(bytes?.readUInt32LE(0)).toBe(((1 * 60 + 30) * 60 + 0) * 1000 + 123);
  expect(bytes?.readUIntLE(4, 3)).toBe(739_703);
});

test("refuses a type that parameters do not have", () => {
  expect(() => typedParameter(1, "money")).toThrow("Parameters cannot have the type money.");
});

const cell = (name: string, value: unknown) => ({
  value,
  metadata: { colName: "size", type: { name } },
});

test("reads whole numbers, and refuses those that are not exact", () => {
  expect(cellValue(cell("BigInt", String(2 ** 53 - 1)))).toBe(2 ** 53 - 1);
  expect(cellValue(cell("IntN", "12"))).toBe(12);
  expect(cellValue(cell("IntN", 12))).toBe(12);
  expect(cellValue(cell("IntN", null))).toBeNull();
  expect(() => cellValue(cell("BigInt", "9007199254740993"))).toThrow(/"size"/);
});

test("leaves other values as the driver reads them", () => {
  for (const value of ["12", true, null, TIME, Buffer.of(1)]) {
    expect(cellValue(cell("NVarChar", value))).toBe(value);
  }
});
